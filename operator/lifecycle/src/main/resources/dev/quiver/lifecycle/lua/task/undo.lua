-- Undoes a task: one that waits is cancelled, and the tasks are made that its plan left for that. Guarantee: idempotent; a
-- repeat makes none, and answers the same ids, or GONE where the task went with its end.
-- FOR client
-- FLAGS
-- ARGV id: of the task
-- RETURNS {OK, cancelled: 0 or 1, made: ids of tasks with blanks between, commands...: that may run now} | {AGAIN} while it runs, or may | {NOTHING} of a
--   composite | {GONE}
-- USES common/now task/nodes task/roots task/results task/flow task/changes task/submission
local REMEMBERED_MS = 3600000
local MAY_RUN = {Cancelled = true, DeadlineExceeded = true, Withdrawn = true, WorkerLost = true}
local UNDONE = 'E{"reason":"Cancelled","message":"it was undone"}'
local MADE = '=' -- the first row once they are made, in front of their ids
flow.open(c, KEYS, key_pools)
local n = nodes.get(c, arg_id)
if not n or n.state == nodes.TEMPLATE or not roots.of(c, n) then return {GONE} end
if n.kind ~= nodes.LEAF or n.parent ~= '' then return {NOTHING} end
local cancelled = not nodes.is_over(n)
-- A worker that was lost may go on for a while, cut off from Redis.
if cancelled and (n.state == nodes.LOCKED or nodes.is_in_doubt(n) or n.lost ~= '0') then return {AGAIN} end
-- One that ended by another's will may have a worker that is about to stop.
local ended, why = roots.of(c, n).ended, n.state == nodes.FAILED and results.get(c, arg_id) or ''
if why ~= UNDONE and MAY_RUN[string.match(why, '^E{"reason":"(%a+)"') or ''] and ended ~= '' and now < ended + flow.STOPS_MS then
  return {AGAIN}
end
local field = arg_id .. nodes.UNDO
local text = call('HSTRLEN', key_body, field) <= nodes.MOST_UNDO and call('HGET', key_body, field) or '[]'
local ok, rows = pcall(cjson.decode, text)
rows = ok and submission.texts(rows) or {}
local trees = #rows > 0 and rows[1] ~= MADE and submission.read(c, rows, 1)
if #rows > 0 and rows[1] ~= MADE and not trees then return redis.error_reply('ERR task/undo: what would undo task ' .. arg_id .. ' cannot be read') end
if cancelled then flow.finish(c, n, false, UNDONE) end
local made = rows
if trees then
  made = {MADE, unpack(submission.create(c, trees, REMEMBERED_MS))}
  if c.nodes[arg_id] then call('HSET', key_body, field, cjson.encode(made)) end -- it may be gone with its end
end
local out, soon = {OK, cancelled and 1 or 0, table.concat(made, ' ', 2)}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
