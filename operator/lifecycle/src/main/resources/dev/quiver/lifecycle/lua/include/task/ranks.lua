-- Gives nodes that are there other ranks. What waits moves, and keeps its number; what runs has the new rank if it comes back.
-- Copies that a forEach made of a template follow by the command `rerank`, a page at a time, for each pool.
-- MODULE ranks
-- USES common/decimal task/nodes task/queue task/commands task/roots task/flow task/aging task/sources task/lending
local RERANK = 'rerank'
function ranks.open() return {of = {}, followed = {}} end -- changes by pool; forEach nodes whose copies follow
-- Notes another rank, a text or nothing; answers whether it is another. The pool's queue is declared, or nothing happens.
function ranks.note(c, all, n, text)
  local has = n.kind == nodes.LEAF or n.kind == nodes.ITERATOR or n.kind == nodes.CHUNKS
  local q = has and not nodes.is_over(n) and c.pools[n.pool]
  text = nodes.as_planned(n, text)
  local rank = q and aging.other(n.rank, n.seq ~= '' and nodes.resolved(q, text) or text) -- else when it is queued
  if not q or rank == false then return false end
  nodes.put(c, n)
  if n.kind == nodes.CHUNKS then
    n.rank = rank
    if n.state == nodes.IDLE then sources.place_later(c, flow.chunks_of(n), flow.chunks_of(n), '', n.pool) end
  elseif n.state == nodes.TEMPLATE or not flow.waits(n) then
    n.rank = rank
  else
    all.of[n.pool] = all.of[n.pool] or {}
    table.insert(all.of[n.pool], {n, rank})
  end
  return true
end
-- Moves what was noted.
function ranks.move(c, all)
  for pool, changed in pairs(all.of) do queue.rerank(c.pools[pool], changed) end
end
-- The copies of a forEach's template get the ranks of the template's nodes.
function ranks.follow(c, all, id, pool)
  local member = id .. '\t' .. pool
  if not all.followed[member] then commands.once(c, RERANK, id, '0', pool) end
  all.followed[member] = true
end
function ranks.run(c, n, data, pool) -- that command
  local from = #data <= nodes.DIGITS and tonumber(string.match(data, '^%d+$')) or 0
  if n.kind ~= nodes.FOR_EACH or n.state ~= nodes.IDLE or not c.pools[pool] or from >= tonumber(n.created) then return end
  local all, template, ids = ranks.open(), {}, {}
  local last = math.min(n.created - 1, from + math.max(1, math.floor(flow.PAGE / n.stride)) - 1)
  for i = 0, n.stride - 1 do template[i + 1] = nodes.relative(n, n.template + i) end
  for k = from, last do
    for i = 0, n.stride - 1 do ids[#ids + 1] = nodes.relative(n, n.first + k * n.stride + i) end
  end
  nodes.load(c, template)
  nodes.load(c, ids)
  c.nodes_left = c.nodes_left - #ids
  for i = 1, #ids do
    local of, copy = nodes.get(c, template[(i - 1) % n.stride + 1]), nodes.get(c, ids[i])
    if copy and of and of.state == nodes.TEMPLATE and copy.origin == nodes.ordinal(of.id) then
      if copy.kind == nodes.FOR_EACH then
        if copy.created ~= '0' then ranks.follow(c, all, copy.id, pool) end
      elseif copy.pool == pool then
        ranks.note(c, all, copy, of.rank or '')
      end
    end
  end
  ranks.move(c, all)
  if last + 1 < tonumber(n.created) then commands.add(c, RERANK, n.id, decimal.of(last + 1), pool) end
end
-- The tasks of a tree that are in this pool are lent what a task lends which waits for the tree.
local MOST_LENT = 256 -- nodes
function ranks.lend(c, top, groups, pool)
  local facts = roots.of(c, top)
  if not facts or top.parent ~= '' or not c.pools[pool] then return end
  local all, ids = ranks.open(), {}
  for i = 0, math.min(tonumber(facts.next), MOST_LENT) - 1 do ids[i + 1] = nodes.relative(top, i) end
  nodes.load(c, ids)
  c.nodes_left = c.nodes_left - #ids
  for i = 1, #ids do
    local n = nodes.get(c, ids[i])
    local rank = n and n.pool == pool and n.kind ~= nodes.CHUNKS and lending.to(n.rank, groups)
    if rank then ranks.note(c, all, n, rank) end
    if n and n.kind == nodes.FOR_EACH and n.created ~= '0' then ranks.follow(c, all, n.id, pool) end
  end
  ranks.move(c, all)
end
