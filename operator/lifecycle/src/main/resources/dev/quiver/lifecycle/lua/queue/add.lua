-- Creates a job, now or later. Guarantee: idempotent; one that is there already stays as it is, a postponed one is replaced.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS ends: job of Quiver's own to how it ended
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV job: its key
-- ARGV type: its type
-- ARGV data: JSON
-- ARGV delay: 0..100000000000000; ms from now; 0: at once
-- RETURNS {OK, created: 0 when it is there or has ended} | {STALE_LEADER, term}
-- USES common/leader queue/wire queue/source common/now common/decimal
local stale = leader.refusal(c)
if stale then return stale end
jobs.open(c)
if call('HEXISTS', key_ends, arg_job) == 1 or call('EXISTS', arg_job) == 1 then return {OK, 0} end
local fields = {'data', arg_data, 'type', arg_type, 'retries', 0, 'state', 'pending', 'quiver', decimal.of(now + arg_delay)}
local later = arg_job .. ':postponed'
if tonumber(arg_delay) > 0 then
  local there = call('EXISTS', later)
  if there == 0 then
    call('HSET', later, unpack(fields))
    call('ZADD', jobs.key(c, 'postponed'), decimal.of(now + arg_delay), arg_job)
  end
  return {OK, 1 - there}
end
call('SADD', jobs.key(c, 'pending'), arg_job)
call('HSET', arg_job, unpack(fields))
job_source.keep(c, 0, 1)
return {OK, 1}
