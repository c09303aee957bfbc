-- Gives the keyspace its epoch when it has none, remembers the Redis process, names the functions that programs call, and
-- gives leases a grace when asked.
-- Guarantee: an existing epoch stays, and from now on does not expire; idempotent.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV schema: 0..1000000; version of the layout that the caller speaks
-- ARGV epoch: name to give when there is none
-- ARGV run_id: the Redis process, may be empty
-- ARGV library: of functions that programs call, empty for none
-- ARGV calls: version of those calls
-- ARGV oldest_calls: the oldest version that has entry points in the library
-- ARGV grace: 0..100000000000000; ms during which no lease ends, 0 for none
-- ARGV history_most: 0..9007199254740992; bytes that the record's stream may take, 0 where nobody reads it
-- ARGV loss: rewound or emptied where the keyspace lost its past, else empty
-- RETURNS {OK, epoch, beat} | {SCHEMA, version: the one found} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/now common/bounds history/record
local stale = leader.refusal(c)
if stale then return stale end
local words = bounds.fields(key_meta, 'schema', 'epoch', 'beat')
if words then return {TOO_LARGE, words} end
local schema = call('HGET', key_meta, 'schema')
if schema and tonumber(schema) > tonumber(arg_schema) then return {SCHEMA, tonumber(schema)} end
if not schema then
  call('HSET', key_meta, 'schema', arg_schema, 'epoch', arg_epoch, 'beat', 0, 'watched_at', now)
end
call('PERSIST', key_meta) -- as retire may have left it
call('HSET', key_meta, 'run_id', arg_run_id, 'library', arg_library, 'calls', arg_calls,
  'oldest_calls', arg_oldest_calls, 'history_most', arg_history_most)
if arg_loss ~= '' and record.level(c) < record.OFF then record.append(c, 'k', 'x', 't', now, 'z', arg_loss) end
if arg_grace ~= '0' then call('HSET', key_meta, 'reap_after', now + tonumber(arg_grace)) end
return {OK, call('HGET', key_meta, 'epoch'), tonumber(call('HGET', key_meta, 'beat'))}
