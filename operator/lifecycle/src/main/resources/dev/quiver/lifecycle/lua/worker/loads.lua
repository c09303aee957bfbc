-- Reads how much work waits in some sources and how fast it goes. Guarantee: changes nothing; the numbers of all of them are
-- of one moment; what is too large is refused before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS of_sources...: 0..1024; hash and sessions of each source
-- RETURNS {OK, now, sources...(left, running, delayed, trials, run_ms, first_at, progress_at, max_workers, handler,
--   sessions, max_parallel, limited)} | {TOO_LARGE, words}
--   Limited: tasks that could not run now, whoever came
-- USES common/now common/bounds
local FIELDS = {'left', 'running', 'delayed', 'trials', 'run_ms', 'first_at', 'progress_at', 'max_workers', 'handler'}
local out = {OK, now}
for i = key_of_sources, #KEYS, 2 do
  local words = bounds.fields(KEYS[i], 'max_parallel', 'limited', unpack(FIELDS))
  if words then return {TOO_LARGE, words} end
  local values = call('HMGET', KEYS[i], unpack(FIELDS))
  for j = 1, #FIELDS do out[#out + 1] = values[j] or '' end
  out[#out + 1] = call('ZCARD', KEYS[i + 1])
  local most, limited = unpack(call('HMGET', KEYS[i], 'max_parallel', 'limited'))
  out[#out + 1], out[#out + 2] = most or '', limited or ''
end
return out
