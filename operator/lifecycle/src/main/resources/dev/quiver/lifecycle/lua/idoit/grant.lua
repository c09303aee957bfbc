-- Lets a pool's workers work at its tasks of the wire. Guarantee: idempotent; what waits there is found at once.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS iterations: iterator to what asks to call it
-- KEYS iterating: iterator that is called to session/call/command
-- KEYS aside: ids of what waits to run alone
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name, also on the wire
-- ARGV prefix: that is granted
-- ARGV types: as JSON
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader worker/grants
local stale = leader.refusal(c)
if stale then return stale end
if call('HGET', key_source, 'prefix') ~= arg_prefix then call('UNLINK', key_iterations, key_iterating, key_aside) end
grants.put(c, 'idoit:' .. arg_pool, arg_pool, arg_prefix, arg_types)
return {OK}
