-- Cancels a job, or forgets how it ended. Guarantee: idempotent; nothing of a cancelled job is left, postponed or not; what of
-- it still runs does not count.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS ends: job of Quiver's own to how it ended
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV what: cancel | forget
-- ARGV job: its key
-- RETURNS {OK, was_there: 0 or 1} | {STALE_LEADER, term}
-- USES common/leader queue/wire common/now
local stale = leader.refusal(c)
if stale then return stale end
jobs.open(c)
if arg_what == 'forget' then return {OK, call('HDEL', key_ends, arg_job)} end
local there = call('EXISTS', arg_job) + call('EXISTS', arg_job .. ':postponed')
if there > 0 then
  jobs.note_end(c, key_ends, arg_job, call('EXISTS', arg_job) == 1 and arg_job or arg_job .. ':postponed', 'cancelled', '')
end
jobs.forget(c, arg_job)
call('ZREM', jobs.key(c, 'postponed'), arg_job)
call('UNLINK', arg_job .. ':postponed')
return {OK, math.min(1, there)}
