-- Forgets a pool. Guarantee: only while the uid owns the name; idempotent; its sets keep their order for a successor.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS pool: hash of the pool's owner
-- KEYS workers: registry of the pool
-- KEYS pods: uid of a pod to its session
-- KEYS draining: pods that take no more work
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool_uid: uid of the WorkerPool
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
if call('HGET', key_pool, 'uid') == arg_pool_uid then
  call('UNLINK', key_pool, key_workers, key_pods, key_draining)
  if call('ZCARD', key_ready) == 0 then call('DEL', key_wake) end
end
return {OK}
