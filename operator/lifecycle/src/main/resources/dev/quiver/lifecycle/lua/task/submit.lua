-- Takes a batch of a program: trees, or pieces of large ones. Guarantee: batches of a producer count once and in their
-- order, also when one comes again after its trees went; a tree that is known stays as it is. One that is cut off before
-- its last piece never begins, and is forgotten.
-- FOR client
-- FLAGS
-- KEYS producer: number of the producer's last batch
-- ARGV batch: 1..9007199254740992; its number, from 1
-- ARGV remembered: 1..100000000000000; ms for which the number is kept, and a tree that has not begun
-- ARGV trees...: 0..3000; of each its id (and behind a blank a name that no other tree has while it goes on), the facts of
--   the whole (empty in all pieces but the last), ms until it begins, the highest
--   ordinal that its creation brings and the number of nodes, then of each node id, record and what it executes
-- RETURNS {OK, counted: 1 when this call did it, commands...: that may run now} | {GAP, last: number of the last batch}
-- USES common/now common/pages task/nodes task/commands task/roots task/flow task/changes
flow.open(c, KEYS, key_pools)
local last = tonumber(call('GET', key_producer) or '0') or 0
if tonumber(arg_batch) <= last then return {OK, 0} end
if tonumber(arg_batch) > last + 1 then return {GAP, last} end
-- All rows are checked before the first write.
local trees, ids, at = {}, {}, arg_trees
local function refused(words) return redis.error_reply('ERR task/submit: ' .. words) end
local function number(text, most) -- nil for what is no whole number up to the bound
  local n = text and #text <= nodes.DIGITS and tonumber(string.match(text, '^%d+$'))
  return n and n <= most and n or nil
end
local function no_node(tree) -- the id of a node that makes no sense, or is not of the tree
  for row = tree.first, tree.after - 1, 3 do
    local id = ARGV[row]
    local ordinal = string.sub(id, 1, #tree.id) == tree.id and string.sub(id, #tree.id + 1)
    if not ordinal or ordinal ~= '' and not string.find(ordinal, '^%.%d+$') or #ordinal > nodes.DIGITS or not nodes.parse(c, id, ARGV[row + 1]) then
      return id
    end
  end
end
while at <= #ARGV do
  local id, name = ARGV[at], ''
  if string.find(id, ' ', 1, true) then id, name = string.match(id, '^(%S+) ?(.*)$') end
  local count = number(ARGV[at + 4], (#ARGV - at - 4) / 3)
  if not id or id == '' or #id > 64 or #name > 1024 then return refused('a tree has an id that makes no sense') end
  local tree = {id = id, name = name, facts = ARGV[at + 1], delay = number(ARGV[at + 2], nodes.MOST_ORDINAL), highest = ARGV[at + 3],
    first = at + 5}
  if not count or not tree.delay or not number(tree.highest, roots.MOST_OF_TREE) then
    return refused('tree ' .. id .. ' has a delay, a highest ordinal or a number of nodes that makes no sense')
  end
  at = tree.first + count * 3
  tree.after = at
  local node_id = no_node(tree)
  if node_id then return refused('tree ' .. id .. ' has node ' .. string.sub(node_id, 1, 64) .. ', whose record cannot be read') end
  if tree.facts ~= '' and not roots.parse(c, id, tree.facts) then return refused('tree ' .. id .. ' has facts that cannot be read') end
  trees[#trees + 1], ids[#ids + 1] = tree, tree.id
end
c.roots = {} -- of trees that are known, their own facts count
-- A tree with a name is not made while another one of that name goes on.
local function name_is_taken(tree)
  if tree.name == '' or tree.facts == '' then return false end
  local holder = call('HGET', key_names, 'n:' .. tree.name)
  local of = holder and holder ~= tree.id and roots.of(c, {id = holder})
  if of and of.ended == '' then return true end
  call('HSET', key_names, 'n:' .. tree.name, tree.id, 't:' .. tree.id, tree.name)
  c.roots[tree.id] = {ended = ''} -- for the next one of the same call
  return false
end
local known = #ids > 0 and call('HMGET', key_roots, unpack(ids)) or {}
local rows, bodies, facts, begun = {}, {}, {}, {}
for i = 1, #trees do
  local tree = trees[i]
  if known[i] and known[i] ~= '' or name_is_taken(tree) then
    for row = tree.first, tree.after - 1, 3 do c.nodes[ARGV[row]] = nil end -- they stay as Redis has them
  else
    for row = tree.first, tree.after - 1, 3 do
      local at = #bodies
      if ARGV[row + 2] ~= '' then bodies[at + 1], bodies[at + 2] = ARGV[row], ARGV[row + 2] end
    end
    if tree.facts ~= '' then
      begun[#begun + 1] = tree
    else
      for row = tree.first, tree.after - 1, 3 do rows[#rows + 1], rows[#rows + 2] = ARGV[row], ARGV[row + 1] end
      facts[#facts + 1], facts[#facts + 2] = tree.id, ''
      if not known[i] then commands.add(c, 'abandon', tree.id, tree.highest, '', now + arg_remembered) end
    end
  end
end
local function write()
  pages.each(rows, function(...) call('HSET', key_nodes, ...) end)
  pages.each(facts, function(...) call('HSET', key_roots, ...) end)
  rows, facts = {}, {}
end
pages.each(bodies, function(...) call('HSET', key_body, ...) end)
write()
-- Records and facts of what begins are written once, as its beginning leaves them.
for i = 1, #begun do
  local tree = begun[i]
  c.changed_roots[tree.id] = roots.parse(c, tree.id, tree.facts)
  if tree.delay == 0 then flow.activate(c, tree.id) else commands.add(c, 'activate', tree.id, '', '', now + tree.delay) end
  for row = tree.first, tree.after - 1, 3 do
    if not c.changed_nodes[ARGV[row]] then rows[#rows + 1], rows[#rows + 2] = ARGV[row], ARGV[row + 1] end
  end
end
write()
call('SET', key_producer, arg_batch, 'PX', arg_remembered)
local out, soon = {OK, 1}, changes.write(c, true)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
