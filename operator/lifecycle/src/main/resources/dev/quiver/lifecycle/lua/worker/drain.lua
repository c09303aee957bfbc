-- Tells a pod to take no more work, or takes that back. Guarantee: idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS draining: pods that take no more work
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pod_uid: the pod
-- ARGV on: 1 to drain, 0 to take it back
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
call(arg_on == '1' and 'SADD' or 'SREM', key_draining, arg_pod_uid)
return {OK}
