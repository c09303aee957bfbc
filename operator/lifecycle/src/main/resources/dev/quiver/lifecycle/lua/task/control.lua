-- Cancels, suspends or resumes a node with all below it, or changes the time that a tree may take. Guarantee: one record,
-- the rest follows by commands; a node that has ended, or whose tree has not begun, stays as it is; idempotent.
-- FOR operator, client
-- FLAGS allow-oom
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV what: cancel | suspend | resume | deadline
-- ARGV id: of the node; suspended as a tree's root, the node that runs at its end is, too
-- ARGV deadline: empty or 0..100000000000000; ms from the start or the last resume of the tree, empty for none
-- RETURNS {OK, changed: 0 or 1, commands...: that may run now} | {GONE} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/commands task/roots task/flow task/changes
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
local n = nodes.get(c, arg_id)
if not n or n.state == nodes.TEMPLATE or not roots.of(c, n) then return {GONE} end
local facts, changed = roots.of(c, n), false
local is_root = n.parent == ''
local last = is_root and facts.finally ~= '' and nodes.get(c, nodes.relative(n, facts.finally))
local function suspend(at, suspended)
  if not at or nodes.is_over(at) or at.suspended == suspended then return end
  at.suspended, changed = suspended, true
  nodes.put(c, at)
  if suspended == '' then commands.add(c, 'unpark', at.id) end
end
local function follow() -- chunks whose node, or one above it, may have changed
  local tree = nodes.tree(n.id)
  for _, member in ipairs(call('ZRANGEBYLEX', key_children, '[' .. tree .. '#', '(' .. tree .. '$', 'LIMIT', 0, 2 * nodes.MOST_CHILDREN)) do
    local of = nodes.get(c, nodes.relative(n, string.sub(member, #tree + 2)))
    if of then commands.add(c, 'follow', of.id, '', of.pool) end
  end
end
if arg_what == 'cancel' and not nodes.is_over(n) then
  flow.finish(c, n, false, 'E{"reason":"Cancelled","message":"cancelled"}')
  changed = true
elseif arg_what == 'suspend' or arg_what == 'resume' then
  local suspended = arg_what == 'suspend' and '1' or ''
  suspend(n, suspended)
  suspend(last, suspended)
  if changed then follow() end
  if changed and is_root and suspended == '1' then
    roots.set_expiry(c, facts, n)
  elseif changed and is_root and facts.began ~= '' and not nodes.is_over(n) then
    roots.start_clock(c, facts, n)
  end
elseif arg_what == 'deadline' and is_root and not nodes.is_over(n) and facts.deadline ~= arg_deadline then
  facts.deadline, changed = arg_deadline, true
  roots.set_expiry(c, facts, n)
end
if not changed then return {OK, 0} end
c.changed_roots[facts.tree] = facts
local out, soon = {OK, 1}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
