-- Takes the wire away from a pool. Guarantee: idempotent; its workers learn of it at their next call and stop what runs; the
-- locks that they hold lapse, so that another program may go on.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS delayed: sources with something that is due
-- KEYS source: hash of the source
-- KEYS ready: the pool's order
-- KEYS iterations: iterator to the command that asks to call it
-- KEYS iterating: iterator to session/call/command
-- KEYS aside: ids of what waits to run alone
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name, also on the wire
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
call('ZREM', key_delayed, 'idoit:' .. arg_pool)
call('ZREM', key_ready, 'idoit:' .. arg_pool)
call('UNLINK', key_source, key_iterations, key_iterating, key_aside)
return {OK}
