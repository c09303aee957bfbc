-- How far a job is. Guarantee: reads only, in time that does not depend on its size.
-- FLAGS no-writes
-- KEYS ends: job of Quiver's own to how it ended
-- ARGV job: its key
-- RETURNS {OK, state, retries, chunks pending, active, errored, done} | {OK, 'ended', word, ms, result or error} | {GONE}
-- INCLUDE queue/wire
local ended = call('HGET', key_ends, arg_job)
if ended then
  local word, at, text = string.match(ended, '^(%a+)\n(%d+)\n(.*)$')
  return {OK, 'ended', word, tonumber(at), text}
end
local job = read(arg_job)
if not job then
  if call('EXISTS', arg_job .. ':postponed') == 1 then return {OK, 'postponed', 0, 0, 0, 0, 0} end
  return {GONE}
end
return {OK, job.state, job.retries, ask(0, 'SCARD', chunks(arg_job, 'pending')), ask(0, 'ZCARD', chunks(arg_job, 'active')),
  ask(0, 'ZCARD', chunks(arg_job, 'errored')), ask(0, 'SCARD', chunks(arg_job, 'done'))}
