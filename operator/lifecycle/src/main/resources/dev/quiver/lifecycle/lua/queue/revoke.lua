-- Takes the jobs of other programs away from a pool. Guarantee: idempotent; its workers learn of it at their next call and stop
-- their tasks; the locks that they hold lapse, so that another program may go on.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS delayed: sources with something that is due
-- KEYS source: hash of the source
-- KEYS ready: the pool's order
-- KEYS aside: ids of what waits to run alone
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
call('ZREM', key_delayed, 'queue:' .. arg_pool)
call('ZREM', key_ready, 'queue:' .. arg_pool)
call('UNLINK', key_source, key_aside)
return {OK}
