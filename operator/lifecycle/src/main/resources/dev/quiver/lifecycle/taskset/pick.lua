-- Names the next set of a pool for a worker with nothing to do. Guarantee: reserves nothing; repeating it is harmless;
-- sets that the worker cannot serve keep their place.
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS pool: hash of the pool's owner
-- KEYS draining: pods that take no more work
-- KEYS ready: the pool's order
-- ARGV session: id of the session
-- ARGV pool_uid: the pool that the session belongs to
-- ARGV pod_uid: its pod
-- ARGV skipped...: uids of sets that the worker cannot serve
-- RETURNS {OK, uid} | {NOTHING} | {CONDEMNED} | {POOL_REPLACED} | {DRAINING}
if not call('ZSCORE', key_sessions, arg_session) then return {CONDEMNED} end
if call('HGET', key_pool, 'uid') ~= arg_pool_uid then return {POOL_REPLACED} end
if call('SISMEMBER', key_draining, arg_pod_uid) == 1 then return {DRAINING} end
local skipped = {}
for i = arg_skipped, #ARGV do skipped[ARGV[i]] = true end
local first = call('ZRANGE', key_ready, 0, #ARGV - arg_skipped + 1, 'WITHSCORES')
for i = 1, #first, 2 do
  if not skipped[first[i]] then
    call('ZADD', key_ready, 'XX', tonumber(first[i + 1]) + 1, first[i])
    return {OK, first[i]}
  end
end
return {NOTHING}
