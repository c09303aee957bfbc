-- Moves work under a prefix from a fenced session to the next one of its pod, which found it in its slots, and notes which
-- other was never started. Guarantee: done once for each (session, call), a repeat gives the same answer; each task gets a new
-- fence; what is not named stays to be taken back.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS earlier_held: what the earlier session holds
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV earlier: id of the earlier one
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV pool: its name
-- ARGV rows...: 0..4096; (id, slot and generation that run the task, or a place of the queue when it was never started)
-- RETURNS {OK, executed, claims...(id, place, type, retries, data)} | {FENCED} | {STALE}
-- USES worker/sessions worker/adoption queue/wire queue/claims common/now worker/claimed
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
jobs.open(c)
local answer = adoption.move(c, 'queue:' .. arg_pool, ARGV, arg_rows, function(id, number)
  local u = job_locks.unit(c, id)
  local deadline = job_locks.locked_until(u, arg_earlier, number)
  if deadline then job_locks.lock(u, arg_session, arg_call, deadline) end
  return deadline
end)
if answer then return answer end
local out = {OK, executed}
job_locks.append(c, out, holds.of_call(key_held, arg_call))
return out
