-- An iterator's answer: {state, done, result, trees, chunks}. `trees` is a list of new children, each a list of records
-- and of what they execute, in turns; their ordinals count from the child's own, 0. `chunks` is how many the answer has
-- brought for the next node of its chain: they count as children that have ended. Uses tree, record.
local function adopt_row(text, base, parent)
  local n = parse('', text)
  nodes[''] = nil
  n.parent = parent or n.parent ~= '' and whole(n.parent + base) or ''
  if n.first and n.first ~= '' then n.first = whole(n.first + base) end
  if n.template and n.template ~= '' then n.template = whole(n.template + base) end
  return n
end
local AGAIN_MS = 1000 -- until an iterator without a live child is asked again
local function readable(ok, answer)
  return ok and type(answer) == 'table' and (answer.state == nil or type(answer.state) == 'string')
    and (answer.result == nil or type(answer.result) == 'string')
    and (answer.trees == nil or type(answer.trees) == 'table')
    and (answer.chunks == nil or type(answer.chunks) == 'number')
end
-- Records which numbers the children of an answer have. Those of one size, in a row, are one range. Children behind so
-- many ranges have no name in the record.
record.RANGES = 16
function record.children(n, facts, from, trees)
  if #trees == 0 or string.byte(facts.rest) ~= 82 or record.level() >= record.FULL then return end -- R
  local ranges, open, first = {}, nil, tonumber(from)
  for i, tree in ipairs(trees) do
    local size = #tree / 2
    if not open or open.size ~= size then
      open = {first = first, size = size, place = n.created + i - 1, n = 0}
      ranges[#ranges + 1] = open
    end
    open.n = open.n + 1
    first = first + size
  end
  for i = 1, math.min(#ranges, record.RANGES) do
    local made = ranges[i]
    record.append('k', 'r', 'u', facts.tree, 't', now, 'i', 'made ' .. ordinal_of(n.id) .. ' ' .. whole(made.first) .. ' '
      .. whole(made.n) .. ' ' .. whole(made.size) .. ' ' .. whole(made.place))
  end
end
local function iterated(n, data) -- answers the verdict
  local ok, answer = pcall(cjson.decode, data)
  local facts = root(n)
  if not facts or not readable(ok, answer) then
    return again_or_end(n, 'failed', false, nil, '{"reason":"AnswerInvalid","message":"the answer cannot be read"}')
  end
  n.step, n.failed, n.lost = '', '0', '0'
  put(n)
  if answer.state then results[n.id] = answer.state end
  local born, bodies, live = {}, {}, {}
  record.children(n, facts, facts.next, answer.trees or {})
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
  local chunks = answer.chunks or 0
  if chunks > 0 then n.created, n.finished = whole(n.created + chunks), whole(n.finished + chunks) end
  each_page(bodies, function(...) call('HSET', key_body, ...) end)
  each_page(live, function(...) call('ZADD', key_children, ...) end)
  for i = 1, #born do activate(born[i]) end
  if over(n) then return 'c' end -- by a child that failed at once
  if answer.done then
    n.step = 'd'
    results[n.id] = answer.result
    if answer.result == nil then
      results[n.id] = nil
      call('HDEL', key_results, n.id)
    end
    if tonumber(n.finished) >= tonumber(n.created) then finish(n, true) end
  elseif #born > 0 or chunks > 0 then
    may_iterate(n)
  elseif tonumber(n.created) == tonumber(n.finished) then
    command('iterate', n.id, '', n.pool, now + AGAIN_MS)
  end
  return 'c'
end
