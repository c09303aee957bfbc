-- Names the next set of a pool for a worker that looks for one. Guarantee: reserves nothing; repeating it is harmless;
-- sets that the worker cannot serve keep their place; a set that has all its workers, and therefore no place in the
-- order, is named to its own workers as if it had one.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS pool: hash of the pool's owner
-- KEYS draining: pods that take no more work
-- KEYS ready: the pool's order
-- KEYS sets...: 0..4096; hash of each set that the session works at
-- ARGV session: id of the session
-- ARGV pool_uid: the pool that the session belongs to
-- ARGV pod_uid: its pod
-- ARGV own: 0..4096; number of sets that the session works at
-- ARGV uids...: 0..8192; of those sets in the order of their keys, then of sets that the worker cannot serve
-- RETURNS {OK, uid} | {NOTHING} | {FENCED} | {POOL_REPLACED} | {DRAINING}
-- USES worker/turn worker/room
if not call('ZSCORE', key_sessions, arg_session) then return {FENCED} end
if call('HGET', key_pool, 'uid') ~= arg_pool_uid then return {POOL_REPLACED} end
if call('SISMEMBER', key_draining, arg_pod_uid) == 1 then return {DRAINING} end
local skips = arg_uids + tonumber(arg_own)
if skips > #ARGV + 1 or tonumber(arg_own) < #KEYS - key_sets + 1 then return redis.error_reply('ERR worker/pick: a uid is missing') end
local skipped = {}
for i = skips, #ARGV do skipped[ARGV[i]] = true end
local uid, score, full
local first = call('ZRANGE', key_ready, 0, #ARGV - skips + 1, 'WITHSCORES')
for i = 1, #first, 2 do
  if not skipped[first[i]] then
    uid, score = first[i], tonumber(first[i + 1])
    break
  end
end
for i = key_sets, #KEYS do
  local status, ready, left, running, delayed, most, priority, virtual_time, offered, gate =
    unpack(call('HMGET', KEYS[i], 'status', 'ready', 'left', 'running', 'delayed', 'max_parallel', 'priority', 'virtual_time',
      'offered', 'gate'))
  if status == 'running' and ready ~= '1' and not gate and room.of(left, running, delayed, most, offered) then
    local at = turn.of(key_ready, priority, virtual_time)
    if not score or at <= score then uid, score, full = ARGV[arg_uids + i - key_sets], at, KEYS[i] end
  end
end
if not uid then return {NOTHING} end
if full then
  call('HSET', full, 'virtual_time', math.fmod(score, turn.BAND) + 1)
else
  call('ZADD', key_ready, 'XX', score + 1, uid)
end
return {OK, uid}
