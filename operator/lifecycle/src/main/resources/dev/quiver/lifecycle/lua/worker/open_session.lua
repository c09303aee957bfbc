-- Lets a supervisor in. Guarantee: only for the present owner of the pool's name, and a bounded registry; what the same
-- pod opened before is fenced with it, so a pod has one live session and a restart needs no lease to end. What that
-- one held can be adopted for a while. Who is refused changes nothing.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of this session
-- KEYS pool: hash of the pool's owner
-- KEYS workers: registry of the pool
-- KEYS pods: uid of a pod to its session
-- KEYS meta: hash of the keyspace (history_bytes, history_most)
-- ARGV session: id of the session
-- ARGV lease: 0..100000000000000; ms
-- ARGV pool: name of the pool
-- ARGV pool_uid: its uid
-- ARGV pod_uid: uid of the pod
-- ARGV record: what the registry says of the worker
-- ARGV most: 0..65536; sessions of a pool at most
-- ARGV left: 0..100000000000000; ms for which nobody else takes back what the earlier session held
-- ARGV joined: the worker's entry for the record, behind one byte
-- ARGV replaced: the same for the end of the earlier session
-- RETURNS {OK, earlier: the session fenced or empty} | {POOL_UNKNOWN} | {POOL_REPLACED, uid} | {POOL_FULL}
-- USES common/now history/record
local owner = call('HGET', key_pool, 'uid')
if not owner then return {POOL_UNKNOWN} end
if owner ~= arg_pool_uid then return {POOL_REPLACED, owner} end
local earlier = call('HGET', key_pods, arg_pod_uid)
local others = call('HLEN', key_workers) - (earlier and call('HEXISTS', key_workers, earlier) or 0)
if others >= tonumber(arg_most) then return {POOL_FULL} end
if earlier then
  if call('ZREM', key_sessions, earlier) == 1 then call('ZADD', key_fenced, now + tonumber(arg_left), earlier) end
  call('HDEL', key_workers, earlier)
  call('HDEL', key_pods, arg_pod_uid)
end
if record.level(c) < record.FULL then
  local function tell(session, body)
    record.append(c, 'k', 'w', 'u', arg_pool, 't', now, 's', session, 'b', record.body(body))
  end
  if earlier then tell(earlier, arg_replaced) end
  tell(arg_session, arg_joined)
end
call('ZADD', key_sessions, now + tonumber(arg_lease), arg_session)
call('HSET', key_session, 'pool', arg_pool, 'pod_uid', arg_pod_uid, 'opened_at', now)
call('HSET', key_workers, arg_session, now .. ' ' .. now .. ' ' .. arg_record)
call('HSET', key_pods, arg_pod_uid, arg_session)
return {OK, earlier or ''}
