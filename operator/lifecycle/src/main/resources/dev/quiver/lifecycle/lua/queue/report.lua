-- How far a job is. Guarantee: reads only, in time that does not depend on its size.
-- FOR operator
-- FLAGS no-writes
-- KEYS ends: job of Quiver's own to how it ended
-- ARGV job: its key
-- RETURNS {OK, state, now, begins: when it may or might begin as ms, made: chunks of the map, done: chunks, retries,
--   pending: chunks, active: chunks, errored: chunks, ended_at: ms or 0, text: result or error} | {GONE} | {TOO_LARGE,
--   words}. State of a job that has ended: passed, map, reduce or cancelled
-- USES queue/wire common/now
jobs.open(c)
local MOST = 524288 -- a result has half of it at most
local bytes = call('HSTRLEN', key_ends, arg_job)
if bytes > MOST then
  return {TOO_LARGE, key_ends .. ' has an end of ' .. bytes .. ' bytes, at most ' .. MOST .. ' are read'}
end
local ended = call('HGET', key_ends, arg_job)
if ended then
  local word, at, began, made, done, text = string.match(ended, '^(%a+)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n(.*)$')
  return {OK, word, now, tonumber(began), tonumber(made), tonumber(done), 0, 0, 0, 0, tonumber(at), text}
end
local job = jobs.read(c, arg_job)
if not job then
  local later = arg_job .. ':postponed'
  if jobs.ask(0, 'EXISTS', later) == 0 then return {GONE} end
  return {OK, 'postponed', now, jobs.natural_time(jobs.ask(false, 'HGET', later, 'quiver')), 0, 0, 0, 0, 0, 0, 0, ''}
end
local fields = jobs.ask({}, 'HMGET', arg_job, 'quiver', 'quiver_chunks')
return {OK, job.state, now, jobs.natural_time(fields[1]), jobs.natural(fields[2]), jobs.ask(0, 'SCARD', jobs.chunks(arg_job, 'done')), job.retries,
  jobs.ask(0, 'SCARD', jobs.chunks(arg_job, 'pending')), jobs.ask(0, 'ZCARD', jobs.chunks(arg_job, 'active')),
  jobs.ask(0, 'ZCARD', jobs.chunks(arg_job, 'errored')), 0, ''}
