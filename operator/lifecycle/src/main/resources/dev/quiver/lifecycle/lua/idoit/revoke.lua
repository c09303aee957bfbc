-- Takes the wire away from a pool. Guarantee: idempotent; its workers learn of it at their next call and stop what runs; the
-- locks that they hold lapse, so that another program may go on.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS ready: the pool's order
-- KEYS iterations: iterator to the command that asks to call it
-- KEYS iterating: iterator to session/call/command
-- KEYS aside: ids of what waits to run alone
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name, also on the wire
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader worker/grants
local stale = leader.refusal(c)
if stale then return stale end
grants.take(c, 'idoit:' .. arg_pool, key_ready, key_iterations, key_iterating, key_aside)
return {OK}
