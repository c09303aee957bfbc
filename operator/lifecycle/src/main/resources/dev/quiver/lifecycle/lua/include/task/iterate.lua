-- An iterator's answer: {state, done, result, trees, chunks}. `trees` is a list of new children, each a list of records
-- and of what they execute, in turns; their ordinals count from the child's own, 0. `chunks` is how many the answer has
-- brought for the next node of its chain: they count as children that have ended. Uses tree, record.
local iterated
do
  local ANSWER_BYTES, ANSWER_NODES, ANSWER_CHUNKS = 4194304, 10000, 1000000
  local function adopt_row(text, base, parent) -- nil for what is no record
    local n = type(text) == 'string' and parse('', text)
    nodes[''] = nil
    if not n or not parent and n.parent == FINALLY then return nil end
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
      and (answer.chunks == nil or type(answer.chunks) == 'number' and answer.chunks >= 0 and answer.chunks <= ANSWER_CHUNKS
        and answer.chunks % 1 == 0)
  end
  -- The children of an answer, a list of their trees, each a list of nodes and of what they execute; nil where a record makes
  -- no sense. Nothing is changed before all are read.
  local function grown(n, facts, trees)
    local all, base, rows = {}, tonumber(facts.next), 0
    for t = 1, #trees do
      local tree, its = trees[t], {base = base}
      if type(tree) ~= 'table' or #tree == 0 or #tree % 2 ~= 0 then return nil end
      rows = rows + #tree / 2
      if rows > ANSWER_NODES then return nil end
      for i = 1, #tree, 2 do
        local child = adopt_row(tree[i], base, i == 1 and ordinal_of(n.id) or nil)
        if not child or type(tree[i + 1]) ~= 'string' then return nil end
        child.id = relative(n, base + (i - 1) / 2)
        its[#its + 1] = {child, tree[i + 1]}
      end
      base = base + #its
      all[t] = its
    end
    return all
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
  function iterated(n, data) -- answers the verdict
    local ok, answer = pcall(cjson.decode, #data <= ANSWER_BYTES and data or '')
    local facts = root(n)
    local trees = facts and readable(ok, answer) and grown(n, facts, answer.trees or {})
    if not trees then
      return again_or_end(n, 'failed', false, nil, '{"reason":"AnswerInvalid","message":"the answer cannot be read"}')
    end
    n.step, n.failed, n.lost = '', '0', '0'
    put(n)
    if answer.state then results[n.id] = answer.state end
    local born, bodies, live = {}, {}, {}
    record.children(n, facts, facts.next, answer.trees or {})
    for _, tree in ipairs(trees) do
      for i = 1, #tree do
        local child, body = unpack(tree[i])
        nodes[child.id] = child
        if child.state ~= TEMPLATE then note(child, child.state, 1) end
        put(child)
        if body ~= '' then
          bodies[#bodies + 1] = child.id
          bodies[#bodies + 1] = body
        end
        if i == 1 then
          born[#born + 1] = child.id
          live[#live + 1] = 0
          live[#live + 1] = n.id .. '/' .. whole(tree.base)
          add(child, 'total', tonumber(child.total))
        end
      end
      facts.next = whole(tree.base + #tree)
      n.created = whole(n.created + 1)
      changed_roots[facts.tree] = facts
    end
    local chunks = answer.chunks or 0
    if chunks > 0 then n.created, n.finished = whole(n.created + chunks), whole(n.finished + chunks) end
    queue.each_page(bodies, function(...) call('HSET', key_body, ...) end)
    queue.each_page(live, function(...) call('ZADD', key_children, ...) end)
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
end
