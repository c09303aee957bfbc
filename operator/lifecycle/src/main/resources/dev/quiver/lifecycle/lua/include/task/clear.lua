-- Clears away below a composite that has ended, a page at a time. Uses tree, queue.
local function live_children(n, from) -- ids, and whether there are more
  local ids = {}
  if n.kind == 'I' then
    local page = call('ZRANGEBYLEX', key_children, '[' .. n.id .. '/', '(' .. n.id .. '0', 'LIMIT', 0, PAGE)
    for i = 1, #page do ids[i] = relative(n, string.match(page[i], '/(%d+)$')) end
    if #page > 0 then call('ZREM', key_children, unpack(page)) end
    return ids, #page == PAGE
  end
  local count = tonumber(n.kind == 'E' and n.created or n.count)
  for i = from, math.min(count, from + PAGE) - 1 do ids[#ids + 1] = relative(n, n.first + i * n.stride) end
  return ids, from + PAGE < count
end
local function end_child(child) -- it was cancelled with its ancestor
  if over(child) then return end
  unqueue(child)
  enter(child, FAILED)
  if child.suspended == '1' then command('unpark', child.id) end
end
local function forget_template(n) -- those of the forEach nodes in it go with these, each by a command of its own
  local ids = {}
  for i = 0, n.stride - 1 do ids[i + 1] = relative(n, n.template + i) end
  load(ids)
  for i = 1, #ids do
    local of = node(ids[i])
    if of and of.kind == 'E' then command('sweep', of.id) else gone[#gone + 1] = ids[i] end
  end
end
-- Where a page begins. A tenant may have written the command.
local function place_of(data)
  local from = #data <= DIGITS and tonumber(string.match(data, '^%d+$')) or 0
  return math.min(from, MOST_CHILDREN)
end
-- kind: prune ends what is below, sweep forgets it.
local function clear(kind, n, from)
  if n.kind == 'K' then
    if kind == 'prune' then command('follow', n.id, '', n.pool) else forget(n) end
    return
  end
  local ids, more = live_children(n, from)
  nodes_left = nodes_left - #ids
  load(ids)
  for i = 1, #ids do
    local child = node(ids[i])
    if child then
      local forgotten, was_over = kind == 'sweep' or n.kind == 'I', over(child)
      end_child(child)
      if child.kind ~= 'L' and (forgotten or not was_over or child.kind == 'K') then -- one that was over has a command
        command(forgotten and 'sweep' or 'prune', child.id)
      elseif child.kind == 'L' and forgotten then
        forget(child)
      end
    end
  end
  if more then return command(kind, n.id, whole(from + PAGE)) end
  if kind ~= 'sweep' then return end
  if n.kind == 'E' then
    if n.origin == '' then forget_template(n) end
    local facts = root(n) -- those of an iterator's child go while their tree stays
    if facts and tonumber(n.count) > 0 then
      counts_of(facts)[NODES] = counts_of(facts)[NODES] - n.count * n.stride
      changed_roots[facts.tree] = facts
    end
  end
  forget(n)
end
