-- Tasks that wait for trees of their own, which their plans have put before them. The record of such a task counts the trees
-- that go on, and the facts of a tree say that tasks wait for it. Its end leaves the command `awaited`, which tells them.
-- KEYS children: tasks that wait for a tree, <tree><<task>
-- MODULE waits
-- USES common/now common/decimal task/nodes task/commands task/roots task/results
waits.PAGE = 256
local AWAITED, BEHIND, CIRCLE = 'W', '<', 'the task would wait for itself'
local MOST_LOOKED = 1024 -- trees and tasks that a search for a circle looks at
local MOST_TEXT, MOST_MESSAGE = 8192, 1024
local DROPPED = 'E{"reason":"Dropped","message":"it is there no more"}'
function waits.is_awaited(facts) return string.find(facts.rest, AWAITED, 1, true) ~= nil end
local function of_tree(c, tree, most)
  return call('ZRANGEBYLEX', c.key_children, '[' .. tree .. BEHIND, '(' .. tree .. '=', 'LIMIT', 0, most)
end
-- The task waits for these trees, which go on or are about to be made: ids to their facts.
function waits.begin(c, n, trees)
  local members, count = {}, 0
  for id, facts in pairs(trees) do
    if not waits.is_awaited(facts) then facts.rest = facts.rest .. AWAITED end
    c.changed_roots[id] = facts
    count, members[#members + 1], members[#members + 2] = count + 1, 0, id .. BEHIND .. n.id
  end
  n.waits = decimal.of(count)
  call('ZADD', c.key_children, unpack(members))
end
-- Whether a node of the tree waits for others; also where it has too many.
local function is_waiting(c, tree)
  local facts, ids = roots.of(c, {id = tree}), {}
  local count = facts and tonumber(facts.next) or 0
  if count > MOST_LOOKED then return true end
  for i = 0, count - 1 do ids[i + 1] = nodes.relative({id = tree, parent = ''}, i) end
  nodes.load(c, ids)
  for i = 1, #ids do
    local n = nodes.get(c, ids[i])
    if n and n.waits and n.state == nodes.RESTART then return true end
  end
  return false
end
-- Why no task of a tree may wait for this one, in words: a circle, or more than can be looked at; nothing where it may.
function waits.refusal(c, tree, id)
  local seen, level, left = {[tree] = true}, {tree}, MOST_LOOKED
  if tree == id then return CIRCLE end
  if not is_waiting(c, id) then return nil end
  while #level > 0 do
    local above = {}
    for i = 1, #level do
      local members = of_tree(c, level[i], left + 1)
      left = left - 1 - #members
      if left < 0 then return 'more than ' .. MOST_LOOKED .. ' tasks wait for it, so that it cannot be put behind one that waits, too' end
      for _, member in ipairs(members) do
        local waiting = nodes.tree(string.sub(member, #level[i] + 2))
        if waiting == id then return CIRCLE end
        if not seen[waiting] then seen[waiting], above[#above + 1] = true, waiting end
      end
    end
    level = above
  end
end
-- The tree has ended: whoever waits for it is told by a command.
local KINDS = {C = 'a chain', G = 'a group', E = 'a forEach', I = 'an iterator'}
local function short(text) return #text <= MOST_MESSAGE and text or (string.gsub(string.sub(text, 1, MOST_MESSAGE), '[\192-\255][\128-\191]*$', '')) end
function waits.ended(c, facts, top)
  if not waits.is_awaited(facts) then return end
  local text = ''
  if top.state ~= nodes.FINISHED then
    text = results.get(c, top.id) or DROPPED
    local ordinal = string.match(text, '^!(%d+)$')
    if ordinal then text = results.get(c, nodes.relative(top, ordinal)) or '' end
    local ok, error = pcall(cjson.decode, #text <= MOST_TEXT and string.sub(text, 2) or '')
    error = ok and type(error) == 'table' and error or {}
    local function words(field) return type(error[field]) == 'string' and short(error[field]) or 'unknown' end
    local name = top.kind == nodes.LEAF and nodes.function_of(top) ~= '' and nodes.function_of(top) or KINDS[top.kind] or 'a task'
    text = cjson.encode({reason = 'DependencyFailed', message = name .. ', which the plan put before the task, has failed: '
      .. words('reason') .. ': ' .. words('message')})
  end
  commands.once(c, 'awaited', facts.tree, text, '', c.now)
end
-- Some of the tasks that wait for it. They do so no more.
function waits.take(c, tree)
  local page, ids = of_tree(c, tree, waits.PAGE), {}
  for i = 1, #page do ids[i] = string.sub(page[i], #tree + 2) end
  if #page > 0 then call('ZREM', c.key_children, unpack(page)) end
  return ids
end
