-- Brings postponed jobs whose time has come to those that wait, and looks whether workers are needed. Guarantee: whoever comes
-- first does it; a job that is there already keeps the postponed one of its name waiting.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS delayed: sources with something that is due
-- ARGV pause: 0..100000000000000; ms to the next look
-- RETURNS {OK} | {GONE} when nothing is granted any more
-- USES queue/wire queue/source common/now common/decimal worker/unseen
jobs.open(c)
local source = 'queue:' .. arg_pool
if call('HGET', key_source, 'prefix') ~= arg_prefix then
  call('ZREM', key_delayed, source)
  return {GONE}
end
local due = jobs.ask({}, 'ZRANGEBYSCORE', jobs.key(c, 'postponed'), '-inf', decimal.of(now), 'LIMIT', 0, jobs.LOOK * 4)
for i = 1, #due do
  local job = due[i]
  local later = job .. ':postponed'
  if string.sub(job, 1, #arg_prefix) ~= arg_prefix or call('EXISTS', later) == 0 then
    call('ZREM', jobs.key(c, 'postponed'), job)
  elseif call('EXISTS', job) == 0 then
    call('ZREM', jobs.key(c, 'postponed'), job)
    call('SADD', jobs.key(c, 'pending'), job)
    call('RENAME', later, job)
  end
end
call('ZADD', key_delayed, decimal.of(now + arg_pause), source)
local new = news.unseen(key_source, now, jobs.key(c, 'pending'), job_source.waiting_work(c))
job_source.keep(c, 0, new and 1 or 0, not new) -- whose types they are is not known: workers look again
return {OK}
