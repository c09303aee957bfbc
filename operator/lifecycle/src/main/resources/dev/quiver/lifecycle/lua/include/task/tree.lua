-- The trees of Tasks: every transition of a node, in one place. A script reads and writes each record once; whatever
-- passes its bounds, or needs a pool that it did not declare, it leaves as a command that any process may run.
--
-- A result is its format and the bytes: J<number of elements>\n and JSON, A Arrow, B bytes; or @<ordinal>: that node's;
-- or * for the array of the children's, #<number of elements> for that of the chunks. An error is E and JSON, or !<ordinal>: that node's.
-- Behind the facts of a tree stands R where its run is recorded.
-- Where `draining`, nothing makes a node: a forEach goes on, and an iterator is asked, by a command.
-- Uses now, queue, records.
-- KEYS body: id to what the node executes
-- KEYS results: id to result or error
-- KEYS roots: tree to facts of the whole
-- KEYS commands: type, id, data, pool and number of each command, by the time from when it may run
-- KEYS children: live children of iterators, <iterator>/<ordinal>, and nodes whose chunks began, <tree>#<ordinal>
-- KEYS names: n:<name> to the tree that has it, t:<tree> to its name
-- KEYS delayed: sources with timers
-- KEYS task_reports: trees that changed
-- KEYS meta: hash of the keyspace (changes, commands)
local pools, own_queue = queue.open(KEYS, key_pools)
if not pools then return own_queue end
-- The facts of a tree, in their order.
local ROOT = {'keep', 'watched', 'next', 'finally', 'deadline', 'counts', 'began', 'expires', 'ended'}
local FACTS = '^(%d*)\t([01]?)\t(%d+)\t(%d*)\t(%d*)\t([%d,-]*)\t(%d*)\t(%d*)\t(%d*)\t(.*)$'
local CONTINUE = 'C' -- an on_error
local MAX_LOST, MOST_NODES, PAGE, TIMERS = 3, 256, 256, 'tasks:'
local MOST_RESULT = 4194304 -- bytes of a result that a script reads
local NODES, MOST_OF_TREE = 8, 100000 -- behind the counts by state: nodes that stay until their tree goes
local clock = whole(now)
local activate, advance, finish
local nodes_left, turns_left = MOST_NODES, 2048 -- the second counts children that cost no node: of other pools, or nonsense
local roots, root_texts, results, changed_nodes, changed_roots = {}, {}, {}, {}, {}
local gone, commands = {}, {}

local function put(n) changed_nodes[n.id] = n end
local function parse_root(tree, text) -- facts of the tree, or false
  local facts = false
  if #(text or '') > MOST_RECORD then text = '' end
  local keep, watched, following, finally, deadline, counts, began, expires, ended, rest = string.match(text or '', FACTS)
  if keep and #keep <= DIGITS and #following <= DIGITS and following + 0 <= MOST_ORDINAL and #finally <= DIGITS
    and #deadline <= DIGITS and #counts <= 160 and #began <= DIGITS and #expires <= DIGITS and #ended <= DIGITS then
    facts = {tree = tree, keep = keep, watched = watched, next = following, finally = finally, deadline = deadline,
      counts = counts, began = began, expires = expires, ended = ended, rest = rest}
  end
  roots[tree] = facts
  return facts
end
local function text_of_root(facts)
  if facts.count then facts.counts = table.concat(facts.count, ',') end
  return facts.keep .. '\t' .. facts.watched .. '\t' .. facts.next .. '\t' .. facts.finally .. '\t' .. facts.deadline .. '\t'
    .. facts.counts .. '\t' .. facts.began .. '\t' .. facts.expires .. '\t' .. facts.ended .. '\t' .. facts.rest
end
local function load_roots(ids) -- reads the facts of these nodes' trees, and parses none
  local ask = {}
  for i = 1, #ids do
    local tree = tree_of(ids[i])
    if root_texts[tree] == nil and roots[tree] == nil then
      ask[#ask + 1] = tree
      root_texts[tree] = false
    end
  end
  if #ask == 0 then return end
  local texts = call('HMGET', key_roots, unpack(ask))
  for i = 1, #ask do root_texts[ask[i]] = texts[i] end
end
local function root(n) -- facts of the tree, or false
  local tree = n.parent == '' and n.id or tree_of(n.id)
  local facts = roots[tree]
  if facts == nil then
    local text = root_texts[tree]
    if text == nil then text = call('HGET', key_roots, tree) end
    facts = parse_root(tree, text)
  end
  return facts
end
local function watched_root(n) -- facts of the tree when it is watched
  local tree = n.parent == '' and n.id or tree_of(n.id)
  local facts, text = roots[tree], root_texts[tree]
  if facts == nil and text ~= nil and not (text and string.find(text, '^%d*\t1')) then return nil end
  facts = facts or facts == nil and root(n)
  return facts and facts.watched == '1' and facts or nil
end
local function counts_of(facts) -- of a tree that nobody watches none are kept until it grows
  if not facts.count then
    local counts = {}
    for word in string.gmatch(facts.counts, '%-?%d+') do
      if #counts < NODES then counts[#counts + 1] = #word <= DIGITS and tonumber(word) or 0 end
    end
    for i = #counts + 1, NODES - 1 do counts[i] = 0 end
    counts[NODES] = counts[NODES] or tonumber(facts.next)
    facts.count = counts
  end
  return facts.count
end
local function count(facts, state, by)
  local counts = counts_of(facts)
  counts[STATES[state]] = counts[STATES[state]] + by
  changed_roots[facts.tree] = facts
end
local function note(n, state, by) -- counts a node of a watched tree
  local facts = watched_root(n)
  if facts then count(facts, state, by) end
end
local expire_never
local function enter(n, state)
  if (state == FINISHED or state == FAILED) and n.state ~= WAITING and (n.deadline or '') ~= '' then
    expire_never(n.id, '')
  end
  local facts = watched_root(n)
  if facts then
    count(facts, n.state, -1)
    count(facts, state, 1)
  end
  n.state = state
  put(n)
end
local function command(kind, id, data, pool, due)
  commands[#commands + 1] = {due or now, kind .. '\t' .. id .. '\t' .. (data or '') .. '\t' .. (pool or '')}
end
-- A deadline's command has no number of its own, so that the end which needs it no more takes it away.
local function expire_at(id, data, due) commands[#commands + 1] = {due, 'expire\t' .. id .. '\t' .. data .. '\t', '0'} end
function expire_never(id, data)
  local member = 'expire\t' .. id .. '\t' .. data .. '\t'
  for i = #commands, 1, -1 do
    if commands[i][2] == member then table.remove(commands, i) end
  end
  call('ZREM', key_commands, member .. '\t0')
end
-- The node whose result is the input of this one, or nil, and the path of elements in it. A chain gives each child the
-- result of the one before it, and its first child its own input. Groups give every child their own. What runs at the end
-- has the root, whose outcome is an object.
local function input_of(n)
  local at, path = n, ''
  for _ = 1, MOST_CLIMBS do
    climbs_left = climbs_left - 1
    if at.parent == FINALLY then return tree_of(n.id), path end
    local p = parent_of(at)
    if not p or p.kind == 'I' then return nil end
    if at.element ~= '' then path = path == '' and at.element or at.element .. '/' .. path end
    local own = tonumber(ordinal_of(at.id))
    if p.kind == 'C' and own > tonumber(p.first) then return relative(p, own - 1), path end
    at = p
  end
end
local function result_of(id) -- nil for one that is larger than any that a worker brings
  return results[id] or call('HSTRLEN', key_results, id) <= MOST_RESULT and call('HGET', key_results, id) or nil
end

-- Totals and progress climb in the script in which they change.
local function add(n, field, by)
  if by == 0 then return end
  local at, climbs = parent_of(n), 0
  while at and climbs < MOST_CLIMBS and climbs_left > 0 do
    at[field] = whole(math.max(0, at[field] + by))
    put(at)
    at, climbs, climbs_left = parent_of(at), climbs + 1, climbs_left - 1
  end
end
local function waits(n) -- in a queue, or parked
  return n.kind == 'L' and n.state == STARTABLE or n.kind == 'I' and n.state == IDLE and n.step == 'b'
end
local function unqueue(n) -- before it ends or is forgotten
  if not waits(n) then return end
  if pools[n.pool] then return queue.leave(pools[n.pool], n) end
  if n.seq ~= '' then command('unqueue', n.id, n.seq .. ' ' .. n.handler, n.pool) end
end
local function forget(n)
  if not over(n) then unqueue(n) end
  if n.suspended == '1' then command('unpark', n.id) end
  if n.kind == 'K' then
    command('remove', n.id, '', n.pool)
    call('ZREM', key_children, tree_of(n.id) .. '#' .. ordinal_of(n.id))
  end
  gone[#gone + 1] = n.id
  nodes[n.id], changed_nodes[n.id], results[n.id], changed_roots[n.id] = false, nil, nil, nil
end

-- Starts.
local function queue_up(n) -- false when its pool is not declared
  local q = pools[n.pool]
  if not q then return false end
  put(n)
  queue.arrive(q, n)
  return true
end
local function may_iterate(n)
  if n.step ~= '' or n.created - n.finished > n.window / 2 then return end
  if draining or not pools[n.pool] then return command('iterate', n.id, '', n.pool) end
  n.step, n.seq = 'b', ''
  queue_up(n)
end
do
  local function make_child(n, ordinal) -- a copy of the template, with ordinals of its own; false without a template
    local shift, block = ordinal - n.template, {}
    for i = 0, n.stride - 1 do block[i + 1] = relative(n, n.template + i) end
    load(block)
    for i = 1, #block do
      local of = node(block[i])
      if not of or of.state ~= TEMPLATE or i > 1 and (of.parent == '' or of.parent == FINALLY) then return false end
    end
    for i = 0, n.stride - 1 do
      local of = node(block[i + 1])
      local child = parse(relative(n, ordinal + i), text_of(of))
      child.state = WAITING
      child.origin = ordinal_of(of.id)
      if i == 0 then
        child.parent, child.element = ordinal_of(n.id), n.created
      else
        child.parent = whole(child.parent + shift)
      end
      if child.first and child.first ~= '' then child.first = whole(child.first + shift) end
      if child.kind == 'E' then child.template = of.template end
      if child.kind == 'C' and child.template ~= '' then child.template = whole(child.template + shift) end
      note(child, WAITING, 1)
      put(child)
    end
    nodes_left = nodes_left - n.stride + 1
    return true
  end
  -- Starts children while there is room for them, and ends the composite after its last one.
  function advance(n)
    if n.advancing or n.state ~= IDLE then return end
    n.advancing = true
    local window = tonumber(n.window)
    while n.state == IDLE and tonumber(n.created) < tonumber(n.count) and (window == 0 or n.created - n.finished < window) do
      local ordinal = n.first + n.created * n.stride
      turns_left = turns_left - 1
      if nodes_left <= 0 or turns_left < 0 or draining and n.kind == 'E' then
        local coming = node(relative(n, n.kind == 'E' and n.template or ordinal))
        command('advance', n.id, '', coming and coming.pool) -- whoever runs it declares that queue
        break
      end
      if n.kind == 'E' and not make_child(n, ordinal) then break end
      n.created = whole(n.created + 1)
      put(n)
      local child = node(relative(n, ordinal))
      if not child or over(child) then -- it was cancelled while it waited
        n.finished = whole(n.finished + 1)
        nodes_left = nodes_left - 1
      else
        activate(child.id)
      end
    end
    n.advancing = nil
    if n.state == IDLE and tonumber(n.finished) == tonumber(n.count) then
      if n.count == '0' then return finish(n, true, 'J0\n[]') end
      finish(n, true, n.kind == 'C' and '@' .. whole(n.first + n.count - 1) or '*')
    end
  end
end
-- The time that a tree may take runs from its start or its last resume, and not while it is suspended.
local function set_expiry(facts, n)
  local runs = facts.began ~= '' and facts.deadline ~= '' and n.suspended ~= '1' and not over(n)
  if facts.expires ~= '' then expire_never(facts.tree, facts.expires) end
  facts.expires = runs and whole(facts.began + facts.deadline) or ''
  if runs then expire_at(facts.tree, facts.expires, tonumber(facts.expires)) end
  changed_roots[facts.tree] = facts
end
local function start_clock(facts, n)
  facts.began = clock
  set_expiry(facts, n)
end
do
  local decoded = {}
  local function value_of(id, text) -- a JSON result, read once in a script; nil for one that Redis cannot read
    if decoded[id] == nil then
      -- An empty object would become the same table as an empty array. In a string the change does no harm.
      local json = string.gsub(string.sub(text, string.find(text, '\n', 1, true) + 1), '{%s*}', '0')
      local ok, value = pcall(cjson.decode, json)
      decoded[id] = ok and value
    end
    return decoded[id]
  end
  -- How many elements the input has at this path; nil when it is no array.
  local function elements(id, path)
    local text = result_of(id)
    for _ = 1, MOST_CLIMBS do
      if not text or string.byte(text) ~= 64 then break end -- @
      climbs_left = climbs_left - 1
      id = tree_of(id) .. '.' .. string.sub(text, 2)
      text = climbs_left > 0 and result_of(id) or nil
    end
    if not text then return nil end
    local first, rest = string.match(path, '^(%d+)/?(.*)$')
    if text == '*' then
      local n = node(id)
      if not n then return nil end
      if not first then return tonumber(n.count) end
      return elements(relative(n, n.first + first * n.stride), rest)
    end
    if not first then return tonumber(string.match(text, '^J(%d+)\n') or string.match(text, '^#(%d+)')) end
    local value = string.byte(text) == 74 and value_of(id, text) -- J
    for index in string.gmatch(path, '%d+') do value = type(value) == 'table' and value[index + 1] end
    return type(value) == 'table' and (#value > 0 or next(value) == nil) and #value or nil
  end
  local function unfold(n) -- the children of an E: one for each element of its input
    local from, path = input_of(n)
    local count = from and from ~= tree_of(n.id) and elements(from, path)
    local facts, template = root(n), node(relative(n, n.template))
    if not facts or not template then return end
    if not count or count > MOST_CHILDREN then
      local message = not from and 'forEach has no result before it'
        or not count and 'forEach needs an array, the result before it is none'
        or 'forEach has ' .. count .. ' elements, at most ' .. MOST_CHILDREN .. ' are allowed'
      return finish(n, false, 'E' .. cjson.encode({reason = 'InputInvalid', message = message}))
    end
    local nodes_of_tree = counts_of(facts)[NODES] + count * n.stride
    if nodes_of_tree > MOST_OF_TREE then
      local message = 'forEach makes ' .. count .. ' times ' .. n.stride .. ' nodes, the tree would have '
        .. whole(nodes_of_tree) .. ', at most ' .. MOST_OF_TREE .. ' are allowed'
      return finish(n, false, 'E' .. cjson.encode({reason = 'InputInvalid', message = message}))
    end
    facts.count[NODES] = nodes_of_tree
    n.first, n.count = facts.next, whole(count)
    facts.next = whole(facts.next + count * n.stride)
    if count > 0 and string.byte(facts.rest) == 82 then -- R
      command('ranged', n.id, n.first .. ' ' .. n.count .. ' ' .. n.stride .. ' ' .. n.template)
    end
    changed_roots[facts.tree] = facts
    local total = count * template.total
    add(n, 'total', total - n.total)
    n.total = whole(total)
  end
  function activate(id)
    local n = node(id)
    if not n or n.state ~= WAITING then return end
    if (n.kind == 'L' or n.kind == 'I') and not pools[n.pool] then return command('activate', id, '', n.pool) end
    local facts, deadline = n.parent == '' and root(n), n.deadline or ''
    nodes_left = nodes_left - 1
    if facts then start_clock(facts, n) end
    if deadline ~= '' then expire_at(id, '', now + deadline) end
    enter(n, n.kind == 'L' and STARTABLE or IDLE)
    if n.kind == 'L' then return queue_up(n) end
    if n.kind == 'I' then return may_iterate(n) end
    if n.kind == 'K' then
      local from, path = input_of(n)
      call('ZADD', key_children, 0, tree_of(id) .. '#' .. ordinal_of(id))
      return command('begin', n.id, from and ordinal_of(from) .. ' ' .. path or '', n.pool)
    end
    if n.kind == 'E' then unfold(n) end
    advance(n)
  end
end

-- Ends.
do
  local function tree_over(facts, top) -- the root and the node that runs at the end are over
    facts.ended = clock
    if string.byte(facts.rest) == 82 then command('recorded', facts.tree) end -- R
    if facts.keep == '0' and facts.watched ~= '1' and top.kind == 'L' and facts.finally == '' then
      forget(top)
    elseif facts.keep ~= '' then
      command('sweep', facts.tree, '', '', now + facts.keep)
    end
  end
  local function error_of(n, p)
    local own = result_of(n.id)
    local refers = own and string.byte(own) == 33 -- !
    if p.kind ~= 'I' then return refers and own or '!' .. ordinal_of(n.id) end
    return refers and result_of(relative(n, string.sub(own, 2))) or own -- its children are forgotten
  end
  local ending = 0 -- ends within each other
  local function end_node(n, ok, result)
    local p = parent_of(n)
    unqueue(n)
    if ok or p and p.on_error == CONTINUE then
      if p then add(n, 'progress', n.total - n.progress) end
      n.progress = n.total
    end
    enter(n, ok and FINISHED or FAILED)
    if ok and n.kind == 'C' and n.template ~= '' then -- what follows its chunks has ended: their results may go
      local chunks = node(relative(n, n.template))
      if chunks then command('follow', chunks.id, '', chunks.pool) end
    end
    if result and result ~= '' then results[n.id] = result end
    if not ok and n.kind ~= 'L' then command(n.kind == 'K' and 'follow' or 'prune', n.id, '', n.pool) end
    if n.kind == 'K' then call('ZREM', key_children, tree_of(n.id) .. '#' .. ordinal_of(n.id)) end
    if n.suspended == '1' then command('unpark', n.id) end
    if not p then
      local facts = root(n)
      if not facts then return end
      changed_roots[facts.tree] = facts
      if n.parent == '' and facts.expires ~= '' then set_expiry(facts, n) end
      local last = facts.finally ~= '' and node(relative(n, facts.finally))
      local top = node(facts.tree)
      if n.parent == '' and last and not over(last) then return activate(last.id) end
      if top and over(top) then tree_over(facts, top) end
      return
    end
    if over(p) then return end
    if not ok and p.on_error ~= CONTINUE then return finish(p, false, error_of(n, p)) end
    -- A child that was cancelled before its turn counts when its turn comes.
    if p.kind ~= 'I' and (ordinal_of(n.id) - p.first) / p.stride >= tonumber(p.created) then return end
    p.finished = whole(p.finished + 1)
    put(p)
    if p.kind ~= 'I' then return advance(p) end
    call('ZREM', key_children, p.id .. '/' .. ordinal_of(n.id))
    if n.kind == 'L' then forget(n) else command('sweep', n.id) end
    if p.step == 'd' and tonumber(p.finished) >= tonumber(p.created) then return finish(p, true) end
    may_iterate(p)
  end
  -- A node above more ends than a tree has levels stays as it is: nothing of it may run, see `alive`.
  function finish(n, ok, result)
    if ending > 2 * MOST_CLIMBS then return end
    ending = ending + 1
    end_node(n, ok, result)
    ending = ending - 1
  end
end
local function try_later(n, delay) -- ms
  if n.kind == 'L' then enter(n, RESTART) else n.step = 'r' end
  put(n)
  command('retry', n.id, '', n.pool, now + delay)
end
-- A trial that failed or lost its worker: again, or the end. delay: ms, or nil. Answers the verdict.
local function again_or_end(n, field, final, delay, text)
  n[field] = whole(n[field] + 1)
  if final or tonumber(n.failed) >= (tonumber(n.attempts) or 0) or tonumber(n.lost) >= MAX_LOST then
    finish(n, false, 'E' .. text)
    return 'c'
  end
  if delay then
    try_later(n, delay)
  else
    if n.kind == 'L' then enter(n, STARTABLE) end
    queue_up(n)
  end
  return 't'
end

-- Writes everything; answers the commands that may run at once, 64 at most. The timer need not be set where the script
-- has touched no commands itself.
local function write_back(no_other_commands)
  queue.write_all(pools) -- first: it numbers nodes
  local rows = {}
  for id, n in pairs(changed_nodes) do
    local at = #rows
    rows[at + 1], rows[at + 2] = id, text_of(n)
  end
  queue.each_page(rows, function(...) call('HSET', key_nodes, ...) end)
  rows = {}
  for id, text in pairs(results) do
    local at = #rows
    rows[at + 1], rows[at + 2] = id, text
  end
  queue.each_page(rows, function(...) call('HSET', key_results, ...) end)
  rows = {}
  for tree, facts in pairs(changed_roots) do
    local at = #rows
    rows[at + 1], rows[at + 2] = tree, text_of_root(facts)
    if facts.watched == '1' then
      call('ZADD', key_task_reports, call('HINCRBY', key_meta, 'changes', 1), tree)
    end
  end
  queue.each_page(rows, function(...) call('HSET', key_roots, ...) end)
  local trees, named = {}, {}
  for i = 1, #gone do
    if not string.find(gone[i], '.', 1, true) then trees[#trees + 1], named[#named + 1] = gone[i], 't:' .. gone[i] end
  end
  queue.each_page(gone, function(...)
    call('HDEL', key_nodes, ...)
    call('HDEL', key_body, ...)
    call('HDEL', key_results, ...)
  end)
  queue.each_page(trees, function(...)
    call('HDEL', key_roots, ...)
    call('ZREM', key_task_reports, ...)
  end)
  for from = 1, #named, queue.ROWS do
    local names = call('HMGET', key_names, unpack(named, from, math.min(from + queue.ROWS - 1, #named)))
    for i = 1, #names do
      local tree = trees[from + i - 1]
      if names[i] then
        call('HDEL', key_names, 't:' .. tree)
        if call('HGET', key_names, 'n:' .. names[i]) == tree then call('HDEL', key_names, 'n:' .. names[i]) end
      end
    end
  end
  local soon = {}
  if #commands > 0 then
    local number = call('HINCRBY', key_meta, 'commands', #commands) - #commands
    rows = {}
    for i = 1, #commands do
      local due, member = commands[i][1], commands[i][2] .. '\t' .. (commands[i][3] or whole(number + i))
      rows[i * 2 - 1], rows[i * 2] = due, member
      if due <= now and #soon < 64 then soon[#soon + 1] = member end
    end
    queue.each_page(rows, function(...) call('ZADD', key_commands, ...) end)
  end
  if #commands == 0 and no_other_commands then return soon end
  local first = call('ZRANGE', key_commands, 0, 0, 'WITHSCORES')
  if first[2] then call('ZADD', key_delayed, first[2], TIMERS) else call('ZREM', key_delayed, TIMERS) end
  return soon
end
