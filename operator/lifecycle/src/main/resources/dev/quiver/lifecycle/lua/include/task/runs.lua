-- The runs of a schedule, each a tree `<uid>-<run>`. The script names the schedule with `uid`.
-- KEYS schedule: hash of a schedule (cron, zone, deadline, policy, suspended, keep_succeeded, keep_failed, next_at, run,
--   last_at, succeeded_at, missed; of its template: template, size, facts, pools)
-- KEYS runs: number of a run by the time at which it was due
-- KEYS results: id to result or error
-- MODULE runs
-- USES common/bounds common/decimal task/nodes task/commands task/roots
runs.MOST_LIVE, runs.MOST_RUNS = 100, 128
-- The command that fires at this time. It is found again by its text, so that it can be taken away.
function runs.fire_at(c, time) return 'fire\t' .. c.arg_uid .. '\t' .. time .. '\t\t0' end
function runs.tree(c, run) return c.arg_uid .. '-' .. run end
-- Words on a key of the schedule that is too large to be read.
function runs.too_large(c)
  return bounds.hash(c.key_schedule, 64, 65536) or bounds.members(c.key_runs, call('ZCARD', c.key_runs), 0, 65536)
end
-- Whether a newer task of its name took its place while it waited: it says nothing of the work, and is kept no longer.
local function is_replaced(c, n)
  local text = n.state == nodes.FAILED and call('HGET', c.key_results, n.id) or ''
  return string.byte(text) == 69 and string.find(text, '"reason":"Replaced"', 1, true) and not string.find(text, '"trial":', 1, true) -- 69 is E
end
-- Forgets all runs that have ended but the latest ones, so many of each outcome. Answers those that go on.
function runs.tidy(c, keep_succeeded, keep_failed)
  local numbers = call('ZRANGE', c.key_runs, 0, runs.MOST_RUNS - 1, 'REV')
  local ids, live, forgotten = {}, {}, {}
  local room, succeeded_at = {[true] = tonumber(keep_succeeded or '') or 0, [false] = tonumber(keep_failed or '') or 0}, 0
  for i = 1, #numbers do ids[i] = runs.tree(c, numbers[i]) end
  nodes.load(c, ids)
  for i = 1, #numbers do
    local n = nodes.get(c, ids[i])
    local facts = n and roots.of(c, n)
    if not facts then
      forgotten[#forgotten + 1] = numbers[i]
    elseif facts.ended == '' then
      live[#live + 1] = n
    else
      local last = facts.finally ~= '' and nodes.get(c, nodes.relative(n, facts.finally))
      local good = n.state == nodes.FINISHED and not (last and last.state == nodes.FAILED)
      if good then succeeded_at = math.max(succeeded_at, tonumber(facts.ended)) end
      local replaced = not good and is_replaced(c, n)
      if not replaced then room[good] = room[good] - 1 end
      if replaced or room[good] < 0 then
        commands.add(c, 'sweep', n.id)
        forgotten[#forgotten + 1] = numbers[i]
      end
    end
  end
  if #forgotten > 0 then call('ZREM', c.key_runs, unpack(forgotten)) end
  if succeeded_at > (tonumber(call('HGET', c.key_schedule, 'succeeded_at') or '0') or 0) then
    call('HSET', c.key_schedule, 'succeeded_at', decimal.of(succeeded_at))
  end
  return live
end
