-- Renews a session's lease and tells what became of its sets. Guarantee: idempotent; a fenced session stays so.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of this session
-- KEYS pool: hash of the pool's owner
-- KEYS workers: registry of the pool
-- KEYS draining: pods that take no more work
-- KEYS meta: hash of the keyspace (reap_due)
-- KEYS delayed: sets with delayed tasks
-- KEYS sets...: 0..1024; hash of each TaskSet asked about
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV lease: 0..100000000000000; ms
-- ARGV pool_uid: the pool that the session belongs to
-- ARGV pod_uid: its pod
-- ARGV record: what the registry says of the worker
-- ARGV uids...: 0..1024; of the sets, in the order of their keys
-- RETURNS {OK, draining: 0 or 1, pool_gone: 0 or 1, reap_due: 0 or 1, sessions: of the pool, news...: a letter for each
--   set} | {FENCED}
-- USES worker/sessions worker/room common/now
local refusal = sessions.refusal(c)
if refusal then return refusal end
local UNWATCHED_MS = 1000 -- nobody watched for so long after a round was due
call('ZADD', key_sessions, now + tonumber(arg_lease), arg_session)
local owned = call('HGET', key_pool, 'uid') == arg_pool_uid
if owned then
  call('HSET', key_workers, arg_session, now .. ' ' .. (call('HGET', key_session, 'opened_at') or now) .. ' ' .. arg_record)
end
local out = {OK, call('SISMEMBER', key_draining, arg_pod_uid), owned and 0 or 1, 0, call('HLEN', key_workers)}
local first = call('ZRANGE', key_delayed, 0, 0, 'WITHSCORES')[2]
local reap_due = tonumber(call('HGET', key_meta, 'reap_due') or '0') or 0
-- Further ahead than a lease no round was put: the store's clock has stepped back.
local unwatched = now > reap_due + UNWATCHED_MS or reap_due > now + tonumber(arg_lease)
if unwatched or first and tonumber(first) <= now then out[4] = 1 end
for i = key_sets, #KEYS do
  local status, deadline_at, left, running, delayed, most, gate =
    unpack(call('HMGET', KEYS[i], 'status', 'deadline_at', 'left', 'running', 'delayed', 'max_parallel', 'gate'))
  local news = 'e'
  if not status then
    news = 'g'
    call('HDEL', key_session, 'set:' .. (ARGV[arg_uids + i - key_sets] or ''))
  elseif status == 'suspended' then
    news = 's'
  elseif status == 'running' and (deadline_at == '0' or now < (tonumber(deadline_at or '') or 0)) then
    news = not gate and room.of(left, running, delayed, most) and 'c' or 'r'
  end
  out[#out + 1] = news
end
return out
