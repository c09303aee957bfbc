-- Tasks that wait for trees of their own, which their plans have put before them. The record of such a task counts the trees
-- that go on. The facts of a tree say that tasks wait for it, and how many of its own wait. Its end leaves the command
-- `awaited`, which tells them.
-- KEYS children: tasks that wait for a tree, <tree><<task>
-- MODULE waits
-- USES common/now common/decimal task/nodes task/commands task/roots task/results
waits.PAGE = 256
local AWAITED, BEHIND = 'W', '<'
-- Tasks that a search for circles looks at, of one plan and of all of a script.
local MOST_LOOKED, MOST_OF_SCRIPT = 1024, 8192
local MOST_TEXT, MOST_MESSAGE = 8192, 1024
local function is_awaited(facts) return string.find(facts.rest, AWAITED, 1, true) ~= nil end
local function of_tree(c, tree, most)
  return call('ZRANGEBYLEX', c.key_children, '[' .. tree .. BEHIND, '(' .. tree .. '=', 'LIMIT', 0, most)
end
-- How many tasks of a tree wait for others.
local function count(facts)
  local word = string.match(facts.rest, 'b(%d+)$')
  return word and #word <= nodes.DIGITS and tonumber(word) or 0
end
local function add(c, facts, by)
  local now = math.max(0, count(facts) + by)
  facts.rest = string.gsub(facts.rest, 'b%d*$', '') .. (now > 0 and 'b' .. decimal.of(now) or '')
  c.changed_roots[facts.tree] = facts
end
-- The task waits for these trees, which go on or are about to be made: ids to their facts.
function waits.begin(c, n, trees)
  local members, number = {}, 0
  for id, facts in pairs(trees) do
    if not is_awaited(facts) then facts.rest = string.gsub(facts.rest, '^R?', '%0' .. AWAITED) end
    facts.tree = id
    c.changed_roots[id] = facts
    number, members[#members + 1], members[#members + 2] = number + 1, 0, id .. BEHIND .. n.id
  end
  n.waits = decimal.of(number)
  call('ZADD', c.key_children, unpack(members))
  local own = roots.of(c, n)
  if own then add(c, own, 1) end
end
-- It waits no more: it is queued, or ends.
function waits.leave(c, n)
  n.waits = nil
  local own = roots.of(c, n)
  if own then add(c, own, -1) end
end
-- Whether a task of the tree waits for others.
function waits.has_waiting(facts) return count(facts) > 0 end
-- The trees of which a task waits for this one, also by way of others; nothing where they are too many to be looked at.
function waits.behind(c, tree)
  local behind, level, left = {[tree] = true}, {tree}, MOST_LOOKED
  while #level > 0 do
    local above = {}
    for i = 1, #level do
      local ids = of_tree(c, level[i], left + 1)
      left = left - 1 - #ids
      c.looked = (c.looked or 0) + 1 + #ids
      if left < 0 then return nil end
      for k = 1, #ids do ids[k] = string.sub(ids[k], #level[i] + 2) end
      nodes.load(c, ids)
      for k = 1, #ids do
        local n, its = nodes.get(c, ids[k]), nodes.tree(ids[k])
        if n and n.waits and not behind[its] and nodes.is_alive(c, n) then behind[its], above[#above + 1] = true, its end
      end
    end
    level = above
  end
  return behind
end
-- Whether the script has looked at so many that another plan is to come again.
function waits.has_looked(c) return (c.looked or 0) > MOST_OF_SCRIPT end
-- The tree has ended: whoever waits for it is told by a command. is_dropped: it is there no more, whatever became of it
local KINDS = {C = 'a chain', G = 'a group', E = 'a forEach', I = 'an iterator'}
local DROPPED = 'E{"reason":"Dropped","message":"it is there no more"}'
local LARGE = 'E{"reason":"Error","message":"its error is too large to be repeated"}'
local function short(text) return #text <= MOST_MESSAGE and text or (string.gsub(string.sub(text, 1, MOST_MESSAGE), '[\192-\255][\128-\191]*$', '')) end
local function error_of(c, top)
  local text = results.get(c, top.id) or ''
  local ordinal = string.match(text, '^!(%d+)$')
  if ordinal then text = results.get(c, nodes.relative(top, ordinal)) or '' end
  if string.sub(text, 1, 1) ~= 'E' then return DROPPED end
  return #text <= MOST_TEXT and text or LARGE
end
function waits.ended(c, facts, top, is_dropped)
  if not is_awaited(facts) then return end
  local text = ''
  if is_dropped or top.state ~= nodes.FINISHED then
    local ok, error = pcall(cjson.decode, string.sub(is_dropped and DROPPED or error_of(c, top), 2))
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
