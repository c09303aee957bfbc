-- Gives back what a fenced session holds under a prefix. Guarantee: each held task once, at most `most` a call; what waited
-- in its prefetch queue, and what the store forgot with its last second, keeps its trial.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of the session
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, more: 1 when more is held} | {NOTHING} when it is not fenced | {TOO_LARGE, words}
-- USES worker/reaping queue/wire queue/source queue/claims common/now worker/fate
jobs.open(c)
local refusal = reaping.refusal(c)
if refusal then return refusal end
local became = fate.of(key_session)
local taken, all = reaping.take(c, tonumber(arg_most), function(id, number, started)
  job_locks.give_back(c, job_locks.unit(c, id), arg_session, number, started and became)
end)
if all then reaping.close(c, 'queue:' .. arg_pool) end
job_source.keep(c, -#taken, #taken)
return {OK, #taken, all and 0 or 1}
