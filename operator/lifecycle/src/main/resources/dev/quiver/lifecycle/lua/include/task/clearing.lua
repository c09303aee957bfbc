-- Clears away below a composite that has ended, a page at a time.
-- MODULE clearing
-- USES common/decimal task/nodes task/commands task/roots task/flow
local function live_children(c, n, from) -- ids, and whether there are more
  local ids = {}
  if n.kind == nodes.ITERATOR then
    local page = call('ZRANGEBYLEX', c.key_children, '[' .. n.id .. '/', '(' .. n.id .. '0', 'LIMIT', 0, flow.PAGE)
    for i = 1, #page do
      local ordinal = string.match(page[i], '/(%d+)$')
      if ordinal then ids[#ids + 1] = nodes.relative(n, ordinal) end
    end
    if #page > 0 then call('ZREM', c.key_children, unpack(page)) end
    return ids, #page == flow.PAGE
  end
  local count = tonumber(n.kind == nodes.FOR_EACH and n.created or n.count)
  for i = from, math.min(count, from + flow.PAGE) - 1 do ids[#ids + 1] = nodes.relative(n, n.first + i * n.stride) end
  return ids, from + flow.PAGE < count
end
local function end_child(c, child) -- it was cancelled with its ancestor
  if nodes.is_over(child) then return end
  flow.leave_doubt(c, child)
  flow.unqueue(c, child)
  flow.enter(c, child, nodes.FAILED)
  if child.suspended == '1' then commands.add(c, 'unpark', child.id) end
end
local function forget_template(c, n) -- those of the forEach nodes in it go with these, each by a command of its own
  local ids = {}
  for i = 0, n.stride - 1 do ids[i + 1] = nodes.relative(n, n.template + i) end
  nodes.load(c, ids)
  for i = 1, #ids do
    local of = nodes.get(c, ids[i])
    if of and of.kind == nodes.FOR_EACH then commands.add(c, 'sweep', of.id) else c.gone[#c.gone + 1] = ids[i] end
  end
end
-- Where a page begins. A tenant may have written the command.
function clearing.place(data)
  local from = #data <= nodes.DIGITS and tonumber(string.match(data, '^%d+$')) or 0
  return math.min(from, nodes.MOST_CHILDREN)
end
-- kind: prune ends what is below, sweep forgets it.
function clearing.clear(c, kind, n, from)
  if n.kind == nodes.CHUNKS then
    if kind == 'prune' then commands.add(c, 'follow', n.id, '', n.pool) else flow.forget(c, n) end
    return
  end
  local ids, more = live_children(c, n, from)
  c.nodes_left = c.nodes_left - #ids
  nodes.load(c, ids)
  for i = 1, #ids do
    local child = nodes.get(c, ids[i])
    if child and nodes.is_child(n, child) then
      local forgotten, was_over = kind == 'sweep' or n.kind == nodes.ITERATOR, nodes.is_over(child)
      end_child(c, child)
      if child.kind ~= nodes.LEAF and (forgotten or not was_over or child.kind == nodes.CHUNKS) then -- one that was over has a command
        commands.add(c, forgotten and 'sweep' or 'prune', child.id)
      elseif child.kind == nodes.LEAF and forgotten then
        flow.forget(c, child)
      end
    end
  end
  if more then return commands.add(c, kind, n.id, decimal.of(from + flow.PAGE)) end
  if kind ~= 'sweep' then return end
  if n.kind == nodes.FOR_EACH then
    if n.origin == '' then forget_template(c, n) end
    local facts = roots.of(c, n) -- those of an iterator's child go while their tree stays
    if facts and tonumber(n.count) > 0 then
      roots.counts(facts)[roots.NODES] = roots.counts(facts)[roots.NODES] - n.count * n.stride
      c.changed_roots[facts.tree] = facts
    end
  end
  flow.forget(c, n)
end
