-- Brings chunks of a job whose map this session has run, while the job is still mapping. Guarantee: only under the lock of the
-- map's claim; a page may come again; the first one removes what an earlier trial brought.
-- FOR worker
-- FLAGS
-- KEYS sessions: live sessions
-- KEYS session: hash of this session (calls)
-- KEYS held: what this session holds
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV id: of the claim
-- ARGV call: 0..9007199254740992; of the claim
-- ARGV offset: 0..9007199254740992; number of the first chunk
-- ARGV rows...: 0..1000; chunks, JSON
-- RETURNS {OK, executed} | {GAP, known: chunks that are there} | {CLOSED} when the lock is lost | {FENCED}
-- USES worker/sessions queue/wire queue/claims common/now common/decimal
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
jobs.open(c)
local u, entry = job_locks.unit(c, arg_id), call('HGET', key_held, arg_id)
if not entry or string.sub(entry, 1, #arg_call + 1) ~= arg_call .. '@' or not job_locks.locked_until(u, arg_session, arg_call) then
  return {CLOSED}
end
local first = tonumber(arg_offset)
if first == 0 then
  jobs.empty_set(c, u.key, 'pending')
else
  local there = call('SCARD', jobs.chunks(u.key, 'pending'))
  if there < first then return {GAP, there} end
end
for i = arg_rows, #ARGV do
  local chunk = u.key .. ':' .. decimal.of(first + i - arg_rows)
  call('HSET', chunk, 'retries', 0, 'data', ARGV[i])
  call('SADD', jobs.chunks(u.key, 'pending'), chunk)
end
return {OK, executed}
