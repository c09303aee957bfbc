-- Trees that come with a call: of a program, or of a task that has ended. Of each its id (and behind a blank a name that no
-- other tree has while it goes on; with a byte 1 before the name, while its task waits; with a byte 2, it takes the place of
-- one that waits), the facts of the whole (empty in all pieces but the last), ms until it begins, the highest
-- ordinal that its creation brings and the number of nodes, then of each node id, record and what it executes.
-- KEYS body: id to what the node executes
-- MODULE submission
-- USES common/now common/pages task/nodes task/commands task/roots task/names task/flow
-- The same rows where they are a list of texts; nothing else.
local MOST_ROWS = 3000
function submission.texts(rows)
  if type(rows) ~= 'table' or #rows > MOST_ROWS then return nil end
  for i = 1, #rows do
    if type(rows[i]) ~= 'string' then return nil end
  end
  return rows
end
local function number(text, most) -- nil for what is no whole number up to the bound
  local n = text and #text <= nodes.DIGITS and tonumber(string.match(text, '^%d+$'))
  return n and n <= most and n or nil
end
-- Reads the tree's nodes apart from those that the script knows: another tree may have their ids. Answers the id of one that
-- makes no sense, or is not of the tree.
local function read_nodes(c, rows, tree)
  tree.nodes = {}
  for row = tree.first, tree.after - 1, 3 do
    local id = rows[row]
    local ordinal = string.sub(id, 1, #tree.id) == tree.id and string.sub(id, #tree.id + 1)
    local n = nodes.parse(c, '', rows[row + 1])
    if not ordinal or ordinal ~= '' and not string.find(ordinal, '^%.%d+$') or #ordinal > nodes.DIGITS or not n then return id end
    n.id = id
    tree.nodes[#tree.nodes + 1] = n
  end
end
-- The trees of these rows, from this place on. All are checked before the first write: nothing, and words, where one makes no
-- sense.
function submission.read(c, rows, at)
  local trees = {rows = rows}
  while at <= #rows do
    local id, name = rows[at], ''
    if string.find(id, ' ', 1, true) then id, name = string.match(id, '^(%S+) ?(.*)$') end
    local count = number(rows[at + 4], (#rows - at - 4) / 3)
    local only, plain = names.read(name or '')
    if not id or id == '' or #id > 64 or string.find(id, '<', 1, true) or not plain or only == names.IF_FREE then
      return nil, 'a tree has an id that makes no sense'
    end
    local tree = {id = id, name = plain, only = only, facts = rows[at + 1], delay = number(rows[at + 2], nodes.MOST_ORDINAL), highest = rows[at + 3],
      first = at + 5}
    if not count or not tree.delay or not number(tree.highest, roots.MOST_OF_TREE) then
      return nil, 'tree ' .. id .. ' has a delay, a highest ordinal or a number of nodes that makes no sense'
    end
    at = tree.first + count * 3
    tree.after = at
    local node_id = read_nodes(c, rows, tree)
    if node_id then return nil, 'tree ' .. id .. ' has node ' .. string.sub(node_id, 1, 64) .. ', whose record cannot be read' end
    tree.whole = tree.facts ~= '' and roots.parse(c, '', tree.facts) or nil
    if tree.facts ~= '' and not tree.whole then return nil, 'tree ' .. id .. ' has facts that cannot be read' end
    trees[#trees + 1] = tree
  end
  c.nodes[''], c.roots[''] = nil, nil
  return trees
end
-- A tree with a name is not made while another one of that name goes on, or waits. `begun`: names to the trees that this call
-- brings.
local function name_is_taken(c, tree, begun, bringer)
  if tree.name == '' or tree.facts == '' then return false end
  local mine = begun[tree.name]
  if mine then
    local waits = tree.only ~= '' and names.waits(mine.nodes[#mine.nodes]) -- a root is the last of its rows
    if tree.only == '' or mine.only == '' or tree.only == names.WHILE_WAITING and waits then return true end
    if waits then
      mine.replaced = true
      names.free(c, {mine.id})
    end
  else
    local holder, top = names.holder(c, tree.id, tree.only, tree.name, bringer)
    if holder and not top then return true end
    if holder then names.replace(c, top, tree.id) end
  end
  names.give(c, tree.id, tree.only, tree.name)
  begun[tree.name] = tree
  return false
end
-- Creates them, but those that are known. A tree that is cut off before its last piece is forgotten after `remembered` ms.
-- bringer: of a task's own, the id of its node, and whether it goes on. Answers the ids of those that begin.
function submission.create(c, trees, remembered, bringer)
  local ids, given, named, made = {}, trees.rows, {}, {}
  for i = 1, #trees do ids[i] = trees[i].id end
  local known = #ids > 0 and call('HMGET', c.key_roots, unpack(ids)) or {}
  for i = 1, #trees do -- others stay as Redis has them
    if (not known[i] or known[i] == '') and not name_is_taken(c, trees[i], named, bringer) then made[#made + 1] = trees[i] end
    if not known[i] and trees[i].facts == '' then commands.add(c, 'abandon', trees[i].id, trees[i].highest, '', c.now + remembered) end
  end
  local rows, bodies, facts, begun = {}, {}, {}, {}
  for i = 1, #made do
    local tree = made[i]
    for row = tree.first, tree.replaced and 0 or tree.after - 1, 3 do
      local at = #bodies
      if given[row + 2] ~= '' then bodies[at + 1], bodies[at + 2] = given[row], given[row + 2] end
      if tree.facts == '' then rows[#rows + 1], rows[#rows + 2] = given[row], given[row + 1] end
    end
    if tree.facts == '' then
      facts[#facts + 1], facts[#facts + 2] = tree.id, ''
    elseif not tree.replaced then
      begun[#begun + 1] = tree
    end
  end
  local function write()
    pages.each(rows, function(...) call('HSET', c.key_nodes, ...) end)
    pages.each(facts, function(...) call('HSET', c.key_roots, ...) end)
    rows, facts = {}, {}
  end
  pages.each(bodies, function(...) call('HSET', c.key_body, ...) end)
  write()
  -- Records and facts of what begins are written once, as its beginning leaves them.
  for i = 1, #begun do
    local tree = begun[i]
    tree.whole.tree = tree.id
    c.roots[tree.id], c.changed_roots[tree.id] = tree.whole, tree.whole
    for _, n in ipairs(tree.nodes) do c.nodes[n.id] = n end
    if tree.delay == 0 then flow.activate(c, tree.id) else commands.once(c, 'activate', tree.id, '', '', c.now + tree.delay) end
    for row = tree.first, tree.after - 1, 3 do
      if not c.changed_nodes[given[row]] then rows[#rows + 1], rows[#rows + 2] = given[row], given[row + 1] end
    end
  end
  write()
  local born = {}
  for i = 1, #begun do born[i] = begun[i].id end
  return born
end
