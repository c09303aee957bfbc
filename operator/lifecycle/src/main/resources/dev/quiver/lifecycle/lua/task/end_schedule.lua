-- Ends a schedule, lets it rest, or forgets what it does not keep. Guarantee: idempotent; once it is stopped or dropped,
-- no run begins.
-- FOR operator
-- FLAGS allow-oom
-- KEYS schedules: hash of the schedules that have keys
-- KEYS template: hash, <version>.<ordinal> to record and document of a node
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV uid: of the schedule
-- ARGV what: tidy (what is beyond the limits) | suspend | resume | stop (runs stay) | drop (but what names runs) | forget
-- RETURNS {OK, commands...: that may run now} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/now task/flow task/changes task/runs
local stale = leader.refusal(c)
if stale then return stale end
flow.open(c, KEYS, key_pools)
local words = arg_what == 'tidy' and runs.too_large(c)
if words then return {TOO_LARGE, words} end
-- FIELDS schedule: next_at keep_succeeded keep_failed
if arg_what == 'tidy' then
  if schedule.next_at then runs.tidy(c, schedule.keep_succeeded, schedule.keep_failed) end
elseif arg_what == 'suspend' or arg_what == 'resume' then
  if schedule.next_at then call('HSET', key_schedule, 'suspended', arg_what == 'suspend' and '1' or '0') end
else
  if schedule.next_at then call('ZREM', key_commands, runs.fire_at(c, schedule.next_at)) end
  if arg_what == 'stop' and schedule.next_at then call('HSET', key_schedule, 'next_at', '') end
  if arg_what ~= 'stop' then call('UNLINK', key_schedule, key_template) end
  if arg_what == 'forget' then
    call('UNLINK', key_runs)
    call('HDEL', key_schedules, arg_uid)
    call('ZREM', key_task_reports, arg_uid)
  end
end
local out, soon = {OK}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
