-- Undoes a task. One that waits for a worker is cancelled. Of one that has ended the tasks are made that its plan left for
-- that. Guarantee: idempotent; a repeat makes none, and answers the same ids.
-- FOR client
-- FLAGS
-- ARGV id: of the task
-- RETURNS {OK, cancelled: 0 or 1, made: ids of tasks with blanks between, commands...: that may run now} | {AGAIN} while it runs | {NOTHING} of a
--   composite | {GONE}
-- USES common/now task/nodes task/roots task/flow task/changes task/submission
local MOST_BYTES, REMEMBERED_MS = 262144, 3600000
local MADE = '=' -- the first row once they are made, in front of their ids
flow.open(c, KEYS, key_pools)
local n = nodes.get(c, arg_id)
if not n or n.state == nodes.TEMPLATE or not roots.of(c, n) then return {GONE} end
if n.kind ~= nodes.LEAF or n.parent ~= '' then return {NOTHING} end
local out = {OK, 0, ''}
if submission.waits(n) then
  flow.finish(c, n, false, 'E{"reason":"Cancelled","message":"it was undone before it began"}')
  out[2] = 1
elseif not nodes.is_over(n) then
  return {AGAIN}
else
  local field, made = arg_id .. nodes.UNDO, {MADE}
  local text = call('HSTRLEN', key_body, field) <= MOST_BYTES and call('HGET', key_body, field) or '[]'
  local ok, rows = pcall(cjson.decode, text)
  if not ok or type(rows) ~= 'table' then rows = {} end
  if rows[1] == MADE then
    made = rows
  elseif #rows > 0 then
    local trees = submission.read(c, rows, 1) or {rows = {}}
    for i = 1, #trees do made[i + 1] = trees[i].id end
    submission.create(c, trees, REMEMBERED_MS)
    call('HSET', key_body, field, cjson.encode(made))
  end
  out[3] = table.concat(made, ' ', 2)
end
local soon = changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
