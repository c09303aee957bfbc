-- Takes an iterator's answer: {state, done, result, trees, chunks}. `trees` is a list of new children, each a list of records
-- and of what they execute, in turns; their ordinals count from the child's own, 0. `chunks` is how many the answer has
-- brought for the next node of its chain: they count as children that have ended.
-- MODULE iteration
-- USES worker/settling common/now common/decimal common/pages task/nodes task/commands task/roots task/flow history/record
local ANSWER_BYTES, ANSWER_NODES, ANSWER_CHUNKS = 4194304, 10000, 1000000
local function adopt_row(c, text, base, parent) -- nil for what is no record
  local n = type(text) == 'string' and nodes.parse(c, '', text)
  c.nodes[''] = nil
  if not n or not parent and n.parent == nodes.FINALLY then return nil end
  n.parent = parent or n.parent ~= '' and decimal.of(n.parent + base) or ''
  if n.first and n.first ~= '' then n.first = decimal.of(n.first + base) end
  if n.template and n.template ~= '' then n.template = decimal.of(n.template + base) end
  return n
end
local AGAIN_MS = 1000 -- until an iterator without a live child is asked again
local function readable(ok, answer)
  return ok and type(answer) == 'table' and (answer.state == nil or type(answer.state) == 'string')
    and (answer.result == nil or type(answer.result) == 'string')
    and (answer.trees == nil or type(answer.trees) == 'table')
    and (answer.chunks == nil or type(answer.chunks) == 'number' and answer.chunks >= 0 and answer.chunks <= ANSWER_CHUNKS
      and answer.chunks % 1 == 0)
end
-- The children of an answer, a list of their trees, each a list of nodes and of what they execute; nil where a record makes
-- no sense. Nothing is changed before all are read.
local function grown(c, n, facts, trees)
  local all, base, rows = {}, tonumber(facts.next), 0
  for t = 1, #trees do
    local tree, its = trees[t], {base = base}
    if type(tree) ~= 'table' or #tree == 0 or #tree % 2 ~= 0 then return nil end
    rows = rows + #tree / 2
    if rows > ANSWER_NODES then return nil end
    for i = 1, #tree, 2 do
      local child = adopt_row(c, tree[i], base, i == 1 and nodes.ordinal(n.id) or nil)
      if not child or type(tree[i + 1]) ~= 'string' then return nil end
      child.id = nodes.relative(n, base + (i - 1) / 2)
      its[#its + 1] = {child, tree[i + 1]}
    end
    base = base + #its
    all[t] = its
  end
  return all
end
-- Records which numbers the children of an answer have. Those of one size, in a row, are one range. Children behind so
-- many ranges have no name in the record.
local RANGES = 16
local function record_children(c, n, facts, from, trees)
  if #trees == 0 or not roots.is_recorded(facts) or record.level(c) >= record.FULL then return end
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
  for i = 1, math.min(#ranges, RANGES) do
    local made = ranges[i]
    record.append(c, 'k', 'r', 'u', facts.tree, 't', c.now, 'i', 'made ' .. nodes.ordinal(n.id) .. ' ' .. decimal.of(made.first) .. ' '
      .. decimal.of(made.n) .. ' ' .. decimal.of(made.size) .. ' ' .. decimal.of(made.place))
  end
end
function iteration.take(c, n, data) -- answers the verdict
  local ok, answer = pcall(cjson.decode, #data <= ANSWER_BYTES and data or '')
  local facts = roots.of(c, n)
  local trees = facts and readable(ok, answer) and grown(c, n, facts, answer.trees or {})
  if not trees then
    return flow.again_or_end(c, n, 'failed', false, nil, '{"reason":"AnswerInvalid","message":"the answer cannot be read"}')
  end
  n.step, n.failed, n.lost = '', '0', '0'
  nodes.put(c, n)
  if answer.state then c.results[n.id] = answer.state end
  local born, bodies, live = {}, {}, {}
  record_children(c, n, facts, facts.next, answer.trees or {})
  for _, tree in ipairs(trees) do
    for i = 1, #tree do
      local child, body = unpack(tree[i])
      c.nodes[child.id] = child
      if child.state ~= nodes.TEMPLATE then roots.note(c, child, child.state, 1) end
      nodes.put(c, child)
      if body ~= '' then
        bodies[#bodies + 1] = child.id
        bodies[#bodies + 1] = body
      end
      if i == 1 then
        born[#born + 1] = child.id
        live[#live + 1] = 0
        live[#live + 1] = n.id .. '/' .. decimal.of(tree.base)
        flow.add(c, child, 'total', tonumber(child.total))
      end
    end
    facts.next = decimal.of(tree.base + #tree)
    n.created = decimal.of(n.created + 1)
    c.changed_roots[facts.tree] = facts
  end
  local chunks = answer.chunks or 0
  if chunks > 0 then n.created, n.finished = decimal.of(n.created + chunks), decimal.of(n.finished + chunks) end
  pages.each(bodies, function(...) call('HSET', c.key_body, ...) end)
  pages.each(live, function(...) call('ZADD', c.key_children, ...) end)
  for i = 1, #born do flow.activate(c, born[i]) end
  if nodes.is_over(n) then return settling.COUNTED end -- by a child that failed at once
  if answer.done then
    n.step = nodes.DONE
    c.results[n.id] = answer.result
    if answer.result == nil then
      c.results[n.id] = nil
      call('HDEL', c.key_results, n.id)
    end
    if tonumber(n.finished) >= tonumber(n.created) then flow.finish(c, n, true) end
  elseif #born > 0 or chunks > 0 then
    flow.may_iterate(c, n)
  elseif tonumber(n.created) == tonumber(n.finished) then
    commands.add(c, 'iterate', n.id, '', n.pool, c.now + AGAIN_MS)
  end
  return settling.COUNTED
end
