-- Begins a schedule, or changes it. Guarantee: idempotent; another cron or zone takes effect from the given time on, and
-- another template with the next run. Runs, their numbers and what was missed stay.
-- FOR operator
-- FLAGS
-- KEYS schedules: hash of the schedules that have keys
-- KEYS template: hash, <version>.<ordinal> to record and document of a node
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV uid: of the schedule
-- ARGV next_at: 0..100000000000000; when it fires, where it is new or has another cron or zone
-- ARGV template: version of the template
-- ARGV run: number of the last run, where the schedule is new
-- ARGV missed: runs that were missed, where the schedule is new
-- ARGV fields...: 0..128; name and value of the others; second_at is not kept: when it fires behind next_at
-- RETURNS {OK} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/now common/pages task/flow task/changes history/record task/runs
local stale = leader.refusal(c)
if stale then return stale end
flow.open(c, KEYS, key_pools)
local STEP_MS = 60000 -- a clock that is set right goes back by less
local wanted, rows = {}, {}
if (#ARGV - arg_fields + 1) % 2 ~= 0 then return redis.error_reply('ERR task/schedule: a field has no value') end
for i = arg_fields, #ARGV, 2 do
  wanted[ARGV[i]] = ARGV[i + 1]
  if ARGV[i] ~= 'second_at' then rows[#rows + 1], rows[#rows + 2] = ARGV[i], ARGV[i + 1] end
end
local words = runs.too_large(c)
if words then return {TOO_LARGE, words} end
-- FIELDS schedule: cron zone next_at run
if string.match(wanted.facts or '', '\tR$') then record.is_read(c) end
call('HSET', key_schedules, arg_uid, 1)
if not schedule.run then call('HSET', key_schedule, 'run', arg_run, 'missed', arg_missed) end
-- Further ahead than the next time from now on: the store's clock was ahead, and a schedule would be silent for as long. A
-- clock that stepped back over the time of a run that has begun is left to reach it again.
local ahead = schedule.next_at and schedule.next_at ~= '' and (tonumber(schedule.next_at) or 0) > tonumber(arg_next_at) and now < tonumber(arg_next_at)
  and not (schedule.next_at == wanted.second_at and arg_next_at - now <= STEP_MS)
if not schedule.next_at or schedule.next_at == '' or ahead or schedule.cron ~= wanted.cron or schedule.zone ~= wanted.zone then
  if schedule.next_at then call('ZREM', key_commands, runs.fire_at(c, schedule.next_at)) end
  schedule.next_at = arg_next_at
end
call('HSET', key_schedule, 'next_at', schedule.next_at, 'template', arg_template, unpack(rows))
call('ZADD', key_commands, schedule.next_at, runs.fire_at(c, schedule.next_at))
-- Nodes of earlier versions, and of one that was cut off.
local MOST_FIELDS = 8192
if call('HLEN', key_template) > (tonumber(wanted.size or '') or 0) and call('HLEN', key_template) <= MOST_FIELDS then
  local old = {}
  for _, field in ipairs(call('HKEYS', key_template)) do
    if string.sub(field, 1, #arg_template + 1) ~= arg_template .. '.' then old[#old + 1] = field end
  end
  pages.each(old, function(...) call('HDEL', key_template, ...) end)
end
changes.write(c)
return {OK}
