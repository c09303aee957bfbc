-- Undoes a task: one that waits is cancelled, and the tasks are made that its plan left for that. Those of a composite come
-- with the call, as one tree of all that its plans left. Guarantee: idempotent; a repeat makes none, and answers the same
-- ids, or GONE where the task went with its end.
-- FOR client
-- FLAGS
-- ARGV id: of the task, which is the root of its tree
-- ARGV tree...: 0..3001; of a composite, once what is left has been read: its bytes, and then the tree, or a piece of it, as task/submit has it
-- RETURNS {OK, cancelled: 0 or 1, made: ids of tasks with blanks between, commands...: that may run now}
--   | {INCOMPLETE, left: lines of a composite} as of task/left, where the call has no tree of them; nothing was done
--   | {AGAIN} while it runs, or may | {NOTHING} of a node within a composite, and of a tree that stays until it is dropped | {GONE}
-- USES common/now task/nodes task/roots task/results task/flow task/changes task/submission task/undoing
local REMEMBERED_MS = 3600000
local MAY_RUN = {Cancelled = true, DeadlineExceeded = true, Withdrawn = true, WorkerLost = true}
local UNDONE = 'E{"reason":"Cancelled","message":"it was undone"}'
local MADE = '=' -- the first row once they are made, in front of their ids; of a composite a line, with the id of the tree
flow.open(c, KEYS, key_pools)
local n = nodes.get(c, arg_id)
local facts = n and n.state ~= nodes.TEMPLATE and roots.of(c, n)
if not facts then return {GONE} end
if n.parent ~= '' or facts.keep == '' then return {NOTHING} end
local field = arg_id .. nodes.UNDO
local cancelled = facts.ended == ''
local function unreadable() return redis.error_reply('ERR task/undo: what would undo task ' .. arg_id .. ' cannot be read') end
local function answer(made)
  local out, soon = {OK, cancelled and 1 or 0, made}, changes.write(c)
  for i = 1, #soon do out[#out + 1] = soon[i] end
  return out
end
local function undo_task()
  -- A worker that was lost may go on for a while, cut off from Redis.
  if cancelled and (n.state == nodes.LOCKED or nodes.is_in_doubt(n) or n.lost ~= '0') then return {AGAIN} end
  -- One that ended by another's will may have a worker that is about to stop.
  local why = n.state == nodes.FAILED and results.get(c, arg_id) or ''
  if why ~= UNDONE and MAY_RUN[string.match(why, '^E{"reason":"(%a+)"') or ''] and not cancelled and now < facts.ended + flow.STOPS_MS then
    return {AGAIN}
  end
  local text = call('HSTRLEN', key_body, field) <= nodes.MOST_UNDO and call('HGET', key_body, field) or '[]'
  local ok, rows = pcall(cjson.decode, text)
  rows = ok and submission.texts(rows) or {}
  local trees = #rows > 0 and rows[1] ~= MADE and submission.read(c, rows, 1)
  if #rows > 0 and rows[1] ~= MADE and not trees then return unreadable() end
  if cancelled then flow.finish(c, n, false, UNDONE) end
  local made = rows
  if trees then
    made = {MADE, unpack(submission.create(c, trees, REMEMBERED_MS))}
    if c.nodes[arg_id] then call('HSET', key_body, field, cjson.encode(made)) end -- it may be gone with its end
  end
  return answer(table.concat(made, ' ', 2))
end
local function undo_composite()
  local bytes = call('HSTRLEN', key_body, field)
  if bytes > nodes.MOST_LEFT then return unreadable() end
  local left = bytes > 0 and call('HGET', key_body, field) or ''
  local made = string.match(left, '^=(%S+)')
  if made then
    cancelled = false
    return answer(made)
  end
  if cancelled and undoing.has_begun(c, n, facts) then return {AGAIN} end
  if not cancelled and results.get(c, arg_id) ~= UNDONE and undoing.may_run(c, n, facts) then return {AGAIN} end
  if bytes == 0 then
    if cancelled then flow.finish(c, n, false, UNDONE) end
    return answer('')
  end
  if tonumber(ARGV[arg_tree] or '') ~= bytes then return {INCOMPLETE, left} end
  local trees, words = submission.read(c, ARGV, arg_tree + 1)
  if not trees or #trees ~= 1 then return redis.error_reply('ERR task/undo: ' .. (words or 'what undoes a composite is no single tree')) end
  local is_whole, known = trees[1].facts ~= '', call('HGET', key_roots, trees[1].id) or ''
  if trees[1].name ~= '' or known ~= '' then return redis.error_reply('ERR task/undo: tree ' .. trees[1].id .. ' is there, or has a name') end
  if is_whole and cancelled then flow.finish(c, n, false, UNDONE) end
  submission.create(c, trees, REMEMBERED_MS)
  if not is_whole then
    cancelled = false
  elseif c.nodes[arg_id] then
    call('HSET', key_body, field, MADE .. trees[1].id .. ' undo ' .. (cancelled and 1 or 0) .. '\n' .. left)
  end
  return answer(is_whole and trees[1].id or '')
end
if n.kind == nodes.LEAF then return undo_task() end
return undo_composite()
