-- Notes what became of a session's pod, or of the container in it, for the words on tasks that are lost with it.
-- Guarantee: the first note on a pod stays; a note on a container is of its last end.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS session: hash of the session
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pod_uid: the pod
-- ARGV over: 0|1; whether the pod is over, or only its container ended and is started again
-- ARGV fate: what became of it, for people
-- RETURNS {OK} | {STALE_LEADER, term} | {NOTHING} when the session is not that pod's
-- USES common/leader common/now
local stale = leader.refusal(c)
if stale then return stale end
if call('HGET', key_session, 'pod_uid') ~= arg_pod_uid then return {NOTHING} end
if arg_over == '1' then
  call('HSETNX', key_session, 'fate', arg_fate)
else
  call('HSET', key_session, 'container_end', now .. ' ' .. arg_fate)
end
return {OK}
