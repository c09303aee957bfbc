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
-- RETURNS {OK, number of the run or 0, commands that may run now...} | {TOO_LARGE, words}
-- INCLUDE common/now
-- USES common/bounds
-- USES worker/ready
-- USES task/queue
-- INCLUDE task/records
-- INCLUDE task/tree
-- INCLUDE task/runs
-- INCLUDE history/record
-- FIELDS schedule: next_at deadline policy suspended template facts keep_succeeded keep_failed
--   numbers: run size missed
local MOST_SIZE, MOST_FIELDS, MOST_BYTES = 2000, 8192, 4194304
local words = too_large() or bounds.hash(key_template, MOST_FIELDS, MOST_BYTES)
if words then return {TOO_LARGE, words} end
call('ZREM', key_commands, fire_at(arg_next_at))
local function stamped(document) -- with what its tasks find in their environment
  return string.sub(document, 1, -2) .. (document == '{}' and '' or ',') .. '"run":' .. whole(run) .. ',"dueMillis":'
    .. arg_due_at .. '}'
end
local function copy(tree) -- false where the template is not whole
  local rows, bodies = {}, {}
  for from = 0, size - 1, PAGE do
    local fields = {}
    for i = from, math.min(from + PAGE, size) - 1 do fields[#fields + 1] = template .. '.' .. i end
    local values = call('HMGET', key_template, unpack(fields))
    for i = 1, #fields do
      local text, document = string.match(values[i] or '', '^([^\n]*)\n(.*)$')
      local id = from + i == 1 and tree or tree .. '.' .. (from + i - 1)
      if not text or not parse(id, text) then return false end
      rows[#rows + 1], rows[#rows + 2] = id, text
      bodies[#bodies + 1], bodies[#bodies + 2] = id, stamped(document)
    end
  end
  queue.each_page(rows, function(...) call('HSET', key_nodes, ...) end)
  queue.each_page(bodies, function(...) call('HSET', key_body, ...) end)
  return true
end
local function begin(live)
  if suspended == '1' or deadline ~= '' and now - arg_due_at > (tonumber(deadline) or 0) then return false end
  if policy == 'Forbid' and #live > 0 or #live >= MOST_LIVE or call('ZCARD', key_runs) >= MOST_RUNS then return false end
  run = run + 1
  local tree = tree_of_run(whole(run))
  if size > MOST_SIZE or not parse_root(tree, facts) or call('HEXISTS', key_roots, tree) == 1 or not copy(tree) then
    return false
  end
  if policy == 'Replace' then
    for i = 1, #live do
      if not over(live[i]) then
        finish(live[i], false, 'E{"reason":"Cancelled","message":"the next run replaced it"}')
      end
    end
  end
  roots[tree] = nil
  call('HSET', key_roots, tree, facts)
  if string.match(facts, '\tR$') and record.level() < record.OFF then
    call('HSET', key_records, tree, now)
    command('opened', tree, template .. ' ' .. arg_due_at)
  end
  call('ZADD', key_runs, arg_due_at, whole(run))
  activate(tree)
  return true
end
local began = false
if next_at == arg_next_at and run and size and missed and facts and template and #template <= 256 then
  began = begin(tidy(keep_succeeded, keep_failed))
  missed = missed + arg_passed - (began and 1 or 0)
  call('HSET', key_schedule, 'next_at', arg_following_at, 'run', whole(run), 'missed', whole(missed))
  if began then call('HSET', key_schedule, 'last_at', arg_due_at) end
  call('ZADD', key_commands, arg_following_at, fire_at(arg_following_at))
  if not began then call('ZADD', key_task_reports, call('HINCRBY', key_meta, 'changes', 1), arg_uid) end
end
local out, soon = {OK, began and run or 0}, write_back()
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
