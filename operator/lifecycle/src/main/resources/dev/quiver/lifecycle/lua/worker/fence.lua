-- Ends a session: voids all its fences at once. Guarantee: only after its lease, unless the session
-- itself asks for it; idempotent.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (reap_after, history_bytes, history_most)
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of this session
-- KEYS workers: registry of its pool
-- KEYS pods: uid of a pod to its session
-- ARGV session: id of the session
-- ARGV by_itself: 1 when the session closes
-- ARGV pool: name of its pool
-- ARGV left: the worker's entry for the record, behind one byte
-- RETURNS {OK, fenced: 1 when this call did it, sources...: uids of its sets} | {NOTHING} when its lease was renewed
--   | {TOO_LARGE, words} when it is ended and its sets cannot be read
-- USES common/now common/bounds history/record
local SETS, SETS_BYTES = 10000, 2097152
local expiry = call('ZSCORE', key_sessions, arg_session)
local ended = 0
if expiry then
  if arg_by_itself ~= '1'
    and (now <= tonumber(expiry) or now < (tonumber(call('HGET', key_meta, 'reap_after') or '0') or 0)) then
    return {NOTHING}
  end
  call('ZREM', key_sessions, arg_session)
  call('ZADD', key_fenced, now, arg_session)
  ended = 1
  if record.level(c) < record.FULL then
    record.append(c, 'k', 'w', 'u', arg_pool, 't', now, 's', arg_session, 'b', record.body(arg_left))
  end
end
call('HDEL', key_workers, arg_session)
local pod_uid = call('HGET', key_session, 'pod_uid')
if pod_uid and call('HGET', key_pods, pod_uid) == arg_session then call('HDEL', key_pods, pod_uid) end
local words = bounds.hash(key_session, SETS, SETS_BYTES)
if words then return {TOO_LARGE, words} end
local out = {OK, ended}
for _, field in ipairs(call('HKEYS', key_session)) do
  local uid = string.match(field, '^set:(.*)$')
  if uid then out[#out + 1] = uid end
end
if #out == 2 and call('ZREM', key_fenced, arg_session) == 1 then call('UNLINK', key_session) end
return out
