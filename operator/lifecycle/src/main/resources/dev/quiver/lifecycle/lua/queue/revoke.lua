-- Takes the jobs of other programs away from a pool. Guarantee: idempotent; its workers learn of it at their next call and stop
-- their tasks; the locks that they hold lapse, so that another program may go on.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS ready: the pool's order
-- KEYS aside: ids of what waits to run alone
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader worker/grants
local stale = leader.refusal(c)
if stale then return stale end
grants.take(c, 'queue:' .. arg_pool, key_ready, key_aside)
return {OK}
