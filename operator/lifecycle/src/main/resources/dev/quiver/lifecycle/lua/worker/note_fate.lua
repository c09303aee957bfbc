-- Notes what became of a session's pod, for the words on tasks that are lost with it. Guarantee: the first note stays.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS session: hash of the session
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pod_uid: the pod
-- ARGV fate: what became of it, for people
-- RETURNS {OK} | {STALE_LEADER, term} | {NOTHING} when the session is not that pod's
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
if call('HGET', key_session, 'pod_uid') ~= arg_pod_uid then return {NOTHING} end
call('HSETNX', key_session, 'fate', arg_fate)
return {OK}
