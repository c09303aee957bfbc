-- Says what probes found of resources of a pool, as the owner `probe`, which no program has. Guarantee: idempotent; what other
-- owners closed stays; classes of waiting tasks follow, a page in this call and the others by commands. Names that the pool
-- does not declare yet, and those with too many closers, are not taken.
-- FOR operator
-- FLAGS
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV rows...: 0..128; name of a resource, and o where it is there or x
-- RETURNS {OK, untold: names joined by \30, commands...: that may run now} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/queue task/commands task/roots task/flow task/changes task/gates task/resources
flow.open(c, KEYS, key_pools)
local stale = leader.refusal(c)
if stale then return stale end
local q = c.own_queue
if not q then return redis.error_reply('ERR task/probe: no pool is declared') end
if (#ARGV - arg_rows + 1) % 2 ~= 0 then return redis.error_reply('ERR task/probe: a row is missing') end
local verdicts = {}
for i = arg_rows, #ARGV, 2 do
  local name, state = ARGV[i], ARGV[i + 1]
  if not gates.is_name(name) or state ~= 'o' and state ~= 'x' then
    return redis.error_reply('ERR task/probe: resource ' .. string.sub(name, 1, 64) .. ' has a name or a state that makes no sense')
  end
  verdicts[#verdicts + 1] = {name = name, there = state == 'o'}
end
local out = {OK, table.concat(resources.probed(c, q, verdicts), '\30')}
local soon = changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
