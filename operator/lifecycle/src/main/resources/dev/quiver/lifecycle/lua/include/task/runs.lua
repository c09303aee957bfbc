-- The runs of a schedule, each a tree `<uid>-<run>`. The script names the schedule with `uid`. Uses bounds, tree, records.
-- KEYS schedule: hash of a schedule (cron, zone, deadline, policy, suspended, keep_succeeded, keep_failed, next_at, run,
--   last_at, succeeded_at, missed; of its template: template, size, facts, pools)
-- KEYS runs: number of a run by the time at which it was due
local MOST_LIVE, MOST_RUNS = 100, 128
-- The command that fires at this time. It is found again by its text, so that it can be taken away.
local function fire_at(time) return 'fire\t' .. arg_uid .. '\t' .. time .. '\t\t0' end
local function tree_of_run(run) return arg_uid .. '-' .. run end
-- Words on a key of the schedule that is too large to be read.
local function too_large()
  return bounds.hash(key_schedule, 64, 65536) or bounds.members(key_runs, call('ZCARD', key_runs), 0, 65536)
end
-- Forgets all runs that have ended but the latest ones, so many of each outcome. Answers those that go on.
local function tidy(keep_succeeded, keep_failed)
  local runs = call('ZRANGE', key_runs, 0, MOST_RUNS - 1, 'REV')
  local ids, live, forgotten = {}, {}, {}
  local room, succeeded_at = {[true] = tonumber(keep_succeeded or '') or 0, [false] = tonumber(keep_failed or '') or 0}, 0
  for i = 1, #runs do ids[i] = tree_of_run(runs[i]) end
  load(ids)
  for i = 1, #runs do
    local n = node(ids[i])
    local facts = n and root(n)
    if not facts then
      forgotten[#forgotten + 1] = runs[i]
    elseif facts.ended == '' then
      live[#live + 1] = n
    else
      local last = facts.finally ~= '' and node(relative(n, facts.finally))
      local good = n.state == FINISHED and not (last and last.state == FAILED)
      if good then succeeded_at = math.max(succeeded_at, tonumber(facts.ended)) end
      room[good] = room[good] - 1
      if room[good] < 0 then
        command('sweep', n.id)
        forgotten[#forgotten + 1] = runs[i]
      end
    end
  end
  if #forgotten > 0 then call('ZREM', key_runs, unpack(forgotten)) end
  if succeeded_at > (tonumber(call('HGET', key_schedule, 'succeeded_at') or '0') or 0) then
    call('HSET', key_schedule, 'succeeded_at', whole(succeeded_at))
  end
  return live
end
