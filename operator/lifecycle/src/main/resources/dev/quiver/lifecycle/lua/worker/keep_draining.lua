-- Takes drain marks back from all pods but those given: the others went while nobody looked. Guarantee: idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS draining: pods that take no more work
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pods...: 0..200000; uids of the pods that there are
-- RETURNS {OK, taken: marks that were taken back} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/bounds
local stale = leader.refusal(c)
if stale then return stale end
local MARKS, BESIDE = 100000, 1048576
local words = bounds.whole(key_draining, call('SCARD', key_draining), MARKS, BESIDE)
if words then return {TOO_LARGE, words} end
local there, taken = {}, 0
for i = arg_pods, #ARGV do there[ARGV[i]] = true end
for _, pod in ipairs(call('SMEMBERS', key_draining)) do
  if not there[pod] then taken = taken + call('SREM', key_draining, pod) end
end
return {OK, taken}
