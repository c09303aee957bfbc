-- Begins the run of a schedule that is due, or counts it as missed. Guarantee: each time counts once, whoever fires and
-- however often. The next time is compared and changed in one step with the run, whose tree is whole or not there.
-- FOR operator, worker
-- FLAGS
-- KEYS records: trees whose runs are recorded
-- KEYS template: hash, <version>.<ordinal> to record and document of a node
-- ARGV uid: of the schedule
-- ARGV next_at: the time that the caller saw
-- ARGV following_at: 0..100000000000000; the first one that has not passed
-- ARGV due_at: 0..100000000000000; the last one that has
-- ARGV passed: 0..1000000; how many have
-- RETURNS {OK, run: its number or 0, commands...: that may run now} | {TOO_LARGE, words}
-- USES common/now common/decimal common/bounds common/pages task/nodes task/commands task/roots task/flow
-- USES task/changes history/record task/runs task/names
-- FIELDS schedule: next_at deadline policy suspended template facts keep_succeeded keep_failed once owner
--   numbers: run size missed
flow.open(c, KEYS, key_pools)
local MOST_SIZE, MOST_FIELDS, MOST_BYTES = 2000, 8192, 4194304
local words = runs.too_large(c) or bounds.hash(key_template, MOST_FIELDS, MOST_BYTES)
if words then return {TOO_LARGE, words} end
call('ZREM', key_commands, runs.fire_at(c, arg_next_at))
local function stamped(document) -- with what its tasks find in their environment
  return string.sub(document, 1, -2) .. (document == '{}' and '' or ',') .. '"run":' .. decimal.of(schedule.run) .. ',"dueMillis":'
    .. arg_due_at .. '}'
end
local function copy(tree) -- false where the template is not whole
  local rows, bodies = {}, {}
  for from = 0, schedule.size - 1, flow.PAGE do
    local fields = {}
    for i = from, math.min(from + flow.PAGE, schedule.size) - 1 do fields[#fields + 1] = schedule.template .. '.' .. i end
    local values = call('HMGET', key_template, unpack(fields))
    for i = 1, #fields do
      local text, document = string.match(values[i] or '', '^([^\n]*)\n(.*)$')
      local id = from + i == 1 and tree or tree .. '.' .. (from + i - 1)
      if not text or not nodes.parse(c, id, text) then return false end
      rows[#rows + 1], rows[#rows + 2] = id, text
      bodies[#bodies + 1], bodies[#bodies + 2] = id, stamped(document)
    end
  end
  pages.each(rows, function(...) call('HSET', key_nodes, ...) end)
  pages.each(bodies, function(...) call('HSET', key_body, ...) end)
  return true
end
local function begin(live)
  if schedule.suspended == '1' or schedule.deadline ~= '' and now - arg_due_at > (tonumber(schedule.deadline) or 0) then return false end
  if schedule.policy == 'Forbid' and #live > 0 or #live >= runs.MOST_LIVE or call('ZCARD', key_runs) >= runs.MOST_RUNS then return false end
  local replaces = schedule.policy == 'Replace'
  local tree = runs.tree(c, decimal.of(schedule.run + 1))
  local only, name = names.read(schedule.once or '')
  if not only then return false end
  local holder, top = names.holder(c, tree, only, name)
  for i = 1, replaces and #live or 0 do
    if live[i].id == holder and not nodes.is_over(live[i]) then holder, top = nil, nil end -- it is about to be cancelled
  end
  if holder and not top then return false end
  schedule.run = schedule.run + 1
  if schedule.size > MOST_SIZE or not roots.parse(c, tree, schedule.facts) or call('HEXISTS', key_roots, tree) == 1 or not copy(tree) then
    return false
  end
  if replaces then
    for i = 1, #live do
      if not nodes.is_over(live[i]) then
        flow.finish(c, live[i], false, 'E{"reason":"Cancelled","message":"the next run replaced it"}')
      end
    end
  end
  c.roots[tree] = nil
  call('HSET', key_roots, tree, schedule.facts)
  if string.match(schedule.facts, '\tR$') and record.level(c) < record.OFF then
    call('HSET', key_records, tree, now)
    commands.add(c, 'opened', tree, schedule.template .. ' ' .. arg_due_at)
  end
  call('ZADD', key_runs, arg_due_at, decimal.of(schedule.run))
  if name ~= '' then
    if top then names.replace(c, top, tree, schedule.owner) end
    names.give(c, tree, only, name, schedule.owner)
  end
  flow.activate(c, tree)
  return true
end
local began = false
if schedule.next_at == arg_next_at and schedule.run and schedule.size and schedule.missed and schedule.facts and schedule.template and #schedule.template <= 256 then
  began = begin(runs.tidy(c, schedule.keep_succeeded, schedule.keep_failed))
  schedule.missed = schedule.missed + arg_passed - (began and 1 or 0)
  call('HSET', key_schedule, 'next_at', arg_following_at, 'run', decimal.of(schedule.run), 'missed', decimal.of(schedule.missed))
  if began then call('HSET', key_schedule, 'last_at', arg_due_at) end
  call('ZADD', key_commands, arg_following_at, runs.fire_at(c, arg_following_at))
  if not began then call('ZADD', key_task_reports, call('HINCRBY', key_meta, 'changes', 1), arg_uid) end
end
local out, soon = {OK, began and schedule.run or 0}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
