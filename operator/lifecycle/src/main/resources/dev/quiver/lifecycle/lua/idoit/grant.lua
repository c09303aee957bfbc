-- Lets a pool's workers work at its tasks of the wire. Guarantee: idempotent; what waits there is found at once.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS delayed: sources with something that is due
-- KEYS source: hash of the source
-- KEYS iterations: iterator to what asks to call it
-- KEYS iterating: iterator that is called to session/call/command
-- KEYS aside: ids of what waits to run alone
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool: its name, also on the wire
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
if call('HGET', key_source, 'prefix') ~= arg_prefix then call('UNLINK', key_iterations, key_iterating, key_aside) end
call('HSET', key_source, 'prefix', arg_prefix, 'types', arg_types)
if not call('ZSCORE', key_delayed, 'idoit:' .. arg_pool) then call('ZADD', key_delayed, 0, 'idoit:' .. arg_pool) end
return {OK}
