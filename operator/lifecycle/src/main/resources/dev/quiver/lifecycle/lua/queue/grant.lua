-- Lets a pool's workers run the map-reduce jobs under a prefix. Guarantee: idempotent; what waits there is found at once.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS delayed: sources with something that is due
-- KEYS source: hash of the source
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name
-- ARGV prefix: that is granted
-- ARGV types: as JSON
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
if call('EXISTS', key_source) == 0 then
  call('HSET', key_source, 'status', 'running', 'pool', arg_pool, 'deadline_at', 0, 'delayed', 0, 'priority', 0,
    'virtual_time', 0, 'left', 0, 'running', 0, 'seq', 0)
end
call('HSET', key_source, 'prefix', arg_prefix, 'types', arg_types)
if not call('ZSCORE', key_delayed, 'queue:' .. arg_pool) then call('ZADD', key_delayed, 0, 'queue:' .. arg_pool) end
return {OK}
