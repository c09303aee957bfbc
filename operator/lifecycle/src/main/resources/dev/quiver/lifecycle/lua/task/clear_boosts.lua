-- Takes back the boosts of a pool and what is closed in it, whoever did that, a page at a time: its WorkerPool goes.
-- Guarantee: idempotent; tasks that wait keep their ranks, and wait on where they name a resource.
-- FOR operator
-- FLAGS allow-oom
-- ARGV term: 0..9007199254740992; leader's term
-- RETURNS {OK, cleared: boosts and resources, commands...: that may run now} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/queue task/commands task/roots task/flow task/changes task/classes task/boosts
-- USES task/resources
flow.open(c, KEYS, key_pools)
local stale = leader.refusal(c)
if stale then return stale end
local q = c.own_queue
if not q then return redis.error_reply('ERR task/clear_boosts: no pool is declared') end
local out = {OK, boosts.clear(c, q) + resources.clear(c, q)}
local soon = changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
