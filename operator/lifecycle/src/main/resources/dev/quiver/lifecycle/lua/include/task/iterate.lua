-- An iterator's answer: {state, done, result, trees}. `trees` is a list of new children, each a list of records and of
-- what they execute, in turns; their ordinals count from the child's own, 0. Uses tree.
local function adopt_row(text, base, parent)
  local n = parse('', text)
  nodes[''] = nil
  n.parent = parent or whole(n.parent + base)
  if n.first and n.first ~= '' then n.first = whole(n.first + base) end
  if n.template and n.template ~= '' then n.template = whole(n.template + base) end
  return n
end
local function iterated(n, data)
  local answer, facts = cjson.decode(data), root(n)
  n.step, n.failed = '', '0'
  put(n)
  if answer.state then results[n.id] = answer.state end
  local born, bodies, live = {}, {}, {}
  for _, tree in ipairs(answer.trees or {}) do
    local base = facts.next
    for i = 1, #tree, 2 do
      local ordinal = base + (i - 1) / 2
      local child = adopt_row(tree[i], base, i == 1 and ordinal_of(n.id) or nil)
      child.id = relative(n, ordinal)
      nodes[child.id] = child
      if child.state ~= TEMPLATE then note(child, child.state, 1) end
      put(child)
      if tree[i + 1] ~= '' then
        bodies[#bodies + 1] = child.id
        bodies[#bodies + 1] = tree[i + 1]
      end
      if i == 1 then
        born[#born + 1] = child.id
        live[#live + 1] = 0
        live[#live + 1] = n.id .. '/' .. whole(ordinal)
        add(child, 'total', tonumber(child.total))
      end
    end
    facts.next = whole(base + #tree / 2)
    n.created = whole(n.created + 1)
    changed_roots[facts.tree] = facts
  end
  each_page(bodies, function(...) call('HSET', key_body, ...) end)
  each_page(live, function(...) call('ZADD', key_children, ...) end)
  for i = 1, #born do activate(born[i]) end
  if answer.done then
    n.step = 'd'
    results[n.id] = answer.result
    if answer.result == nil then
      results[n.id] = nil
      call('HDEL', key_results, n.id)
    end
    if tonumber(n.finished) >= tonumber(n.created) and not over(n) then finish(n, true) end
  elseif #born > 0 then
    may_iterate(n)
  end
end
