-- Takes a batch of a program: trees, or pieces of large ones. Guarantee: batches of a producer count once and in their
-- order, also when one comes again after its trees went; a tree that is known stays as it is. One that is cut off before
-- its last piece never begins, and is forgotten.
-- FLAGS
-- KEYS producer: number of the producer's last batch
-- ARGV batch: its number, from 1
-- ARGV remembered: ms for which the number is kept, and a tree that has not begun
-- ARGV trees...: of each its id, the facts of the whole (empty in all pieces but the last), ms until it begins, the highest
--   ordinal that its creation brings and the number of nodes, then of each node id, record and what it executes
-- RETURNS {OK, 1 when this call counted it, commands that may run now...} | {GAP, number of the last batch}
-- INCLUDE common/now
-- INCLUDE worker/turn
-- INCLUDE worker/ready
-- INCLUDE task/queue
-- INCLUDE task/records
-- INCLUDE task/tree
local last = tonumber(call('GET', key_producer) or '0')
if tonumber(arg_batch) <= last then return {OK, 0} end
if tonumber(arg_batch) > last + 1 then return {GAP, last} end
local trees, ids, at = {}, {}, arg_trees
while at <= #ARGV do
  local tree = {id = ARGV[at], facts = ARGV[at + 1], delay = ARGV[at + 2], highest = ARGV[at + 3], first = at + 5}
  at = tree.first + ARGV[at + 4] * 3
  tree.after = at
  trees[#trees + 1], ids[#ids + 1] = tree, tree.id
end
local known = #ids > 0 and call('HMGET', key_roots, unpack(ids)) or {}
local rows, bodies, facts, begun = {}, {}, {}, {}
for i = 1, #trees do
  local tree = trees[i]
  if not known[i] or known[i] == '' then
    for row = tree.first, tree.after - 1, 3 do
      local id, text = ARGV[row], ARGV[row + 1]
      rows[#rows + 1], rows[#rows + 2] = id, text
      if ARGV[row + 2] ~= '' then bodies[#bodies + 1], bodies[#bodies + 2] = id, ARGV[row + 2] end
      if tree.facts ~= '' then parse(id, text) end -- a script need not read what it has written
    end
    facts[#facts + 1], facts[#facts + 2] = tree.id, tree.facts
    if tree.facts ~= '' then
      begun[#begun + 1] = tree
    elseif not known[i] then
      command('abandon', tree.id, tree.highest, '', now + arg_remembered)
    end
  end
end
each_page(rows, function(...) call('HSET', key_nodes, ...) end)
each_page(bodies, function(...) call('HSET', key_body, ...) end)
each_page(facts, function(...) call('HSET', key_roots, ...) end)
for i = 1, #begun do
  local tree = begun[i]
  if tree.delay == '0' then activate(tree.id) else command('activate', tree.id, '', '', now + tree.delay) end
end
call('SET', key_producer, arg_batch, 'PX', arg_remembered)
local out, soon = {OK, 1}, write_back()
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
