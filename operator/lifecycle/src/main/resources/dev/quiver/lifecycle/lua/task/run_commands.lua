-- Runs commands on trees. Guarantee: each once, by whoever takes it away; its effect and its removal are one. A command
-- that names a pool that is not declared stays; what passes the bounds is left as a further command. While Redis' memory
-- is used up, commands that bring work in stay.
-- FOR operator, worker, client
-- DRAINS
-- FLAGS
-- KEYS parked: leaves that wait for a suspended node, <node>/<leaf>
-- ARGV commands...: 0..64; as read
-- RETURNS {OK, ran: commands that were run, commands...: that may run now}
-- USES common/now common/decimal task/nodes task/queue task/commands task/roots task/flow task/changes
-- USES task/clearing task/waits task/classes task/offers task/resources task/boosts task/ranks
flow.open(c, KEYS, key_pools)
local function retry(_, n)
  if n.kind == nodes.LEAF and n.state == nodes.RESTART then flow.enter(c, n, nodes.STARTABLE)
  elseif n.kind == nodes.ITERATOR and n.step == nodes.RESTS and n.state == nodes.IDLE then n.step = nodes.ASKED
  else return end
  flow.queue_up(c, n)
end
local function unpark(id)
  local n = nodes.get(c, id)
  if n and n.suspended == '1' and not nodes.is_over(n) then return end
  local page, back = call('ZRANGEBYLEX', key_parked, '[' .. id .. '/', '(' .. id .. '0', 'LIMIT', 0, flow.PAGE), {}
  c.nodes_left = c.nodes_left - #page
  for i = 1, #page do
    local leaf = nodes.get(c, string.match(page[i], '/(.*)$'))
    if leaf and flow.waits(leaf) and not flow.queue_up(c, leaf) then
      commands.add(c, 'unpark', id, '', leaf.pool)
      break
    end
    back[#back + 1] = page[i]
  end
  if #back > 0 then call('ZREM', key_parked, unpack(back)) end
  if #back == flow.PAGE then commands.add(c, 'unpark', id) end
end
-- A tree has ended for which tasks wait that their plans have put behind it: one that waits for no other is queued. With a text
-- the tree has not passed, and they fail.
local function awaited(tree, text)
  local page = waits.take(c, tree)
  nodes.load(c, page)
  c.nodes_left = c.nodes_left - #page
  for i = 1, #page do
    local n = nodes.get(c, page[i])
    local waiting = n and n.kind == nodes.LEAF and n.state == nodes.RESTART and n.waits and roots.of(c, n) and nodes.is_alive(c, n)
    if waiting and text ~= '' then
      flow.finish(c, n, false, 'E' .. text)
    elseif waiting then
      n.waits = decimal.of(math.max(0, n.waits - 1))
      nodes.put(c, n)
      if n.waits == '0' and c.pools[n.pool] then retry(c, n) elseif n.waits == '0' then commands.add(c, 'retry', n.id, '', n.pool) end
    end
  end
  if #page == waits.PAGE then commands.once(c, 'awaited', tree, text, '', c.now) end
end
local function living(act) -- on a node of a tree that goes on
  return function(n, data, pool)
    if roots.of(c, n) and nodes.is_alive(c, n) then act(c, n, data, pool) end
  end
end
local run = {
  activate = living(function(_, n) flow.activate(c, n.id) end),
  advance = living(flow.advance),
  rerank = living(ranks.run),
  lend = living(ranks.lend),
  iterate = living(function(_, n) if n.state == nodes.IDLE then flow.may_iterate(c, n) end end),
  retry = living(retry),
  expire = function(n, data) -- a tree's names the time that is meant, which may have changed since
    local facts = data ~= '' and roots.of(c, n)
    if not nodes.is_over(n) and (data == '' or facts and facts.expires == data) then flow.finish(c, n, false, 'E{"reason":"DeadlineExceeded","message":"the deadline has passed"}') end
  end,
  result = living(function(_, n, data)
    if n.kind == nodes.CHUNKS and not nodes.is_over(n) then flow.finish(c, n, true, '#' .. string.match(data, '^%d* ?%d* ?%d*')) end
  end),
  error = living(function(_, n, data) if n.kind == nodes.CHUNKS and not nodes.is_over(n) then flow.finish(c, n, false, 'E' .. data) end end),
  prune = function(n, data) if nodes.is_over(n) and n.kind ~= nodes.LEAF then clearing.clear(c, 'prune', n, clearing.place(data)) end end,
  sweep = function(n, data)
    local facts = data == '' and n.parent == '' and n.id == nodes.tree(n.id) and roots.of(c, n) -- with the first page
    local last = facts and facts.finally ~= '' and nodes.relative(n, facts.finally)
    if last and last ~= n.id then commands.add(c, 'sweep', last) end
    if n.kind == nodes.LEAF then flow.forget(c, n) else clearing.clear(c, 'sweep', n, clearing.place(data)) end
  end,
}
local anyway = { -- whether the node is there or not
  unpark = unpark,
  awaited = awaited,
  abandon = function(id, data) -- what came of a tree that never began; its root goes last
    if call('HGET', key_roots, id) ~= '' then return end
    local highest = math.min(#data <= nodes.DIGITS and tonumber(string.match(data, '^%d+$')) or 0, roots.MOST_OF_TREE)
    local from = math.max(highest - flow.PAGE + 1, 0)
    c.nodes_left = c.nodes_left - (highest - from)
    for ordinal = from, highest do c.gone[#c.gone + 1] = nodes.relative({id = id}, ordinal) end
    if from > 0 then commands.add(c, 'abandon', id, decimal.of(from - 1)) end
  end,
  unqueue = function(id, data, pool)
    local seq, handler, rank = string.match(data, '^(%d+) ([^\31]*)\31?(.*)$')
    local n = nodes.get(c, id)
    if seq and #seq <= nodes.DIGITS and (rank == '' or nodes.is_rank(rank)) and c.pools[pool] and not (n and flow.waits(n)) then
      local gone = {id = id, seq = seq, handler = handler, rank = rank ~= '' and rank or nil}
      queue.remove(c.pools[pool], gone)
      if gone.rank and nodes.is_planning(gone) then -- of a complex task, it waits in another class
        queue.remove(c.pools[pool], {id = id, seq = seq, handler = handler, rank = rank, complex = ''})
      end
    end
  end,
  replace = function(tag, _, pool) -- classes whose places have changed
    if c.pools[pool] then c.nodes_left = c.nodes_left - classes.move(c, c.pools[pool], tag) end
  end,
  regate = function(resource, _, pool) -- classes that wait for it, or no more
    if c.pools[pool] then c.nodes_left = c.nodes_left - classes.follow(c, c.pools[pool], resource) end
  end,
  offer = function(resource, data, pool) -- permits may be free, or a window is over
    if c.pools[pool] then offers.run(c, c.pools[pool], resource, data) end
  end,
  reopen = function(resource, owner, pool) -- a closing may be over
    if c.pools[pool] then resources.expire(c, c.pools[pool], resource, owner) end
  end,
  lease = function(owner, _, pool) -- of boosts
    if c.pools[pool] then boosts.expire(c, c.pools[pool], owner) end
  end,
}
local function stays(kind, n) -- until there is memory
  return c.no_room and n and n.state == nodes.IDLE and (kind == 'iterate' or kind == 'rerank' or kind == 'advance' and n.kind ~= nodes.CHAIN)
end
-- The commands go when all is done: an error takes none of them away.
local done, left = {}, {}
for i = arg_commands, #ARGV do
  local kind, id, data, pool = string.match(ARGV[i], '^(%a+)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t')
  local known = kind and (run[kind] or anyway[kind]) -- a newer program's are left to it
  if c.nodes_left <= 0 then
    left[#left + 1] = ARGV[i]
  elseif known and (pool == '' or c.pools[pool]) and call('ZSCORE', key_commands, ARGV[i]) then
    local n = run[kind] and nodes.get(c, id)
    if not stays(kind, n) then
      done[#done + 1] = ARGV[i]
      c.nodes_left = c.nodes_left - 1
      if anyway[kind] then known(id, data, pool) elseif n then known(n, data, pool) end
    end
  end
end
if #done > 0 then call('ZREM', key_commands, unpack(done)) end
local out, soon = {OK, #done}, changes.write(c)
for i = 1, #left do out[#out + 1] = left[i] end
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
