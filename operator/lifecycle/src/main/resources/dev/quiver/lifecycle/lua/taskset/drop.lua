-- Deletes every key of a TaskSet and leaves a tombstone. Guarantee: all or, when a session is missing among those
-- given, nothing but the tombstone and the end of the set, so that nobody joins before the next try; idempotent. What is
-- too large is refused before it is copied.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS sets: uids that have keys
-- KEYS tombstone: refuses the uid for a while
-- KEYS source: hash of the TaskSet
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sets with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS failures: sample
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- KEYS of_sessions...: for each session given, what it holds of the set, then its hash
-- ARGV term: leader's term
-- ARGV source: uid of the TaskSet
-- ARGV tombstone_ms: how long the tombstone stays
-- ARGV most: sessions at most
-- ARGV ids...: sessions
-- RETURNS {OK} | {AGAIN} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- INCLUDE common/now
-- INCLUDE common/leader
-- INCLUDE common/bounds
-- INCLUDE ordinals/finish
local BESIDE = 1048576
local words = large_whole(key_source_sessions, call('ZCARD', key_source_sessions), tonumber(arg_most), BESIDE)
if words then return {TOO_LARGE, words} end
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
local given = {}
for i = arg_ids, #ARGV do given[ARGV[i]] = true end
for _, session in ipairs(call('ZRANGE', key_source_sessions, 0, -1)) do
  if not given[session] then
    call('ZREM', key_ready, arg_source)
    if call('HGET', key_source, 'finished_at') == '0' then finish('cancelled', 'Deleted', '') end
    return {AGAIN}
  end
end
for i = key_of_sessions, #KEYS, 2 do
  call('UNLINK', KEYS[i])
  call('HDEL', KEYS[i + 1], 'set:' .. arg_source)
end
call('UNLINK', key_source, key_task_queue, key_payload, key_trouble, key_source_delayed, key_failures,
  key_source_sessions)
call('ZREM', key_delayed, arg_source)
call('SREM', key_sets, arg_source)
call('ZREM', key_ready, arg_source)
call('ZREM', key_reports, arg_source)
if call('ZCARD', key_ready) == 0 then
  call('DEL', key_wake)
elseif call('LLEN', key_wake) == 0 then
  call('RPUSH', key_wake, '') -- its taker may have picked this set
end
return {OK}
