-- Lets a pool's workers run the map-reduce jobs under a prefix. Guarantee: idempotent; what waits there is found at once.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name
-- ARGV prefix: that is granted
-- ARGV types: as JSON
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader worker/grants
local stale = leader.refusal(c)
if stale then return stale end
grants.put(c, 'queue:' .. arg_pool, arg_pool, arg_prefix, arg_types)
return {OK}
