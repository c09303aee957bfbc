-- Cancels, suspends or resumes a node with all below it. Guarantee: one record, the rest follows by commands; a node
-- that has ended, or whose tree has not begun, stays as it is; idempotent.
-- FLAGS allow-oom
-- ARGV what: cancel | suspend | resume
-- ARGV id: of the node
-- RETURNS {OK, changed 0|1, commands that may run now...} | {GONE}
-- INCLUDE common/now
-- INCLUDE worker/turn
-- INCLUDE worker/ready
-- INCLUDE task/queue
-- INCLUDE task/records
-- INCLUDE task/tree
local n = node(arg_id)
if not n or n.state == TEMPLATE or not root(n) then return {GONE} end
if over(n) then return {OK, 0} end
if arg_what == 'cancel' then
  finish(n, false, 'E{"reason":"Cancelled","message":"cancelled"}')
elseif arg_what == 'suspend' and n.suspended ~= '1' then
  n.suspended = '1'
  put(n)
elseif arg_what == 'resume' and n.suspended == '1' then
  n.suspended = ''
  put(n)
  command('unpark', n.id)
else
  return {OK, 0}
end
changed_roots[root(n).tree] = root(n)
local out, soon = {OK, 1}, write_back()
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
