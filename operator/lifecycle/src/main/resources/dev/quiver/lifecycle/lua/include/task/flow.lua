-- How trees go on: every transition of a node, in one place. A script reads and writes each record once. Whatever passes its
-- bounds, or needs a pool that it did not declare, it leaves as a command. Where `c.no_room`, nothing makes a node: a forEach
-- goes on, and an iterator is asked, by a command.
-- KEYS children: live children of iterators, <iterator>/<ordinal>, and nodes whose chunks began, <tree>#<ordinal>
-- MODULE flow
-- USES worker/settling common/now common/decimal task/nodes task/queue task/commands task/roots task/results task/events task/states
-- USES task/waits
flow.MAX_LOST, flow.PAGE = 3, 256
local CONTINUE, GIVEN = 'C', 80 -- an on_error; P: the arguments that a plan gave
local NODES, TURNS = 256, 2048 -- nodes of a script; children that cost no node: of other pools, or nonsense
-- Begins a script on trees. `first` is the index of the first key of a pool.
function flow.open(c, keys, first)
  nodes.open(c)
  c.pools, c.own_queue = queue.open(keys, first)
  c.roots, c.root_texts, c.changed_roots, c.results, c.decoded = {}, {}, {}, {}, {}
  c.gone, c.commands, c.nodes_left, c.turns_left, c.ending = {}, {}, NODES, TURNS, 0
  c.lone_claims = {} -- their trials at most, see `flow.claim_lone`
  c.refused = {} -- leaves that have failed, although their settlement says that something passed
end
function flow.enter(c, n, state)
  if (state == nodes.FINISHED or state == nodes.FAILED) and n.state ~= nodes.WAITING and (n.deadline or '') ~= '' then
    commands.expire_never(c, n.id, '')
  end
  local facts = roots.watched(c, n)
  if facts then roots.move(c, facts, n.state, state) end
  if n.waits and n.state == nodes.RESTART then waits.leave(c, n) end
  n.state = state
  nodes.put(c, n)
end
-- Whether it is a tree of one task, held, that nobody keeps, watches, records or follows, as its texts say that were loaded:
-- when it passes it goes, and nothing else happens. Such tasks are many, so they are not parsed.
local LONE_FACTS = '^0\t0?\t%d+\t\t\t[^\t]*\t[^\t]*\t\t[^\t]*\t$'
function flow.is_lone(c, id)
  local text, facts = c.node_texts[id], c.root_texts[id]
  return text and facts and c.nodes[id] == nil and c.roots[id] == nil and string.sub(text, 1, 5) == 'L\tl\t\t' and string.sub(text, -2) == '\t\t'
    and string.find(facts, LONE_FACTS) and not events.are_followed(c)
end
-- Claims a tree of one task whose first trial this is, and that waits under this number, where nobody watches it. Answers its
-- trials at most, or nothing where it is no such task. Such tasks are many, so they are not parsed.
local FIRST_TRIAL = '^L\ts\t\t[^\t]+\t[^\t#]*\t(%d*)\t0\t0\t1\t0\t(%d+)\t\t\t\t$'
function flow.claim_lone(c, id, number)
  local text, facts = c.node_texts[id], c.root_texts[id]
  if not text or not facts or c.nodes[id] ~= nil or c.roots[id] ~= nil or #text > nodes.MOST_RECORD then return nil end
  local most, seq = string.match(text, FIRST_TRIAL)
  if seq ~= number or #seq > nodes.DIGITS or #most > nodes.DIGITS or string.find(facts, '^%d*\t1') then return nil end
  local at = #c.changed_texts
  text = 'L\t' .. nodes.LOCKED .. string.sub(text, 4)
  c.node_texts[id], c.changed_texts[at + 1], c.changed_texts[at + 2] = text, id, text
  most = tonumber(most) or 0
  c.lone_claims[id] = most
  return most
end
-- It has passed.
function flow.pass_lone(c, id)
  c.gone[#c.gone + 1] = id
  c.nodes[id], c.roots[id] = false, false -- its name is free for what the same step brings
end
-- Totals and progress climb in the script in which they change.
function flow.add(c, n, field, by)
  if by == 0 then return end
  local at, climbs = nodes.parent(c, n), 0
  while at and climbs < nodes.MOST_CLIMBS and c.climbs_left > 0 do
    at[field] = decimal.of(math.max(0, at[field] + by))
    nodes.put(c, at)
    at, climbs, c.climbs_left = nodes.parent(c, at), climbs + 1, c.climbs_left - 1
  end
end
function flow.waits(n) -- in a queue, or parked
  return n.kind == nodes.LEAF and n.state == nodes.STARTABLE or n.kind == nodes.ITERATOR and n.state == nodes.IDLE and n.step == nodes.ASKED
end
function flow.unqueue(c, n) -- before it ends or is forgotten
  if not flow.waits(n) then return end
  if c.pools[n.pool] then return queue.remove(c.pools[n.pool], n) end
  if n.seq ~= '' then commands.add(c, 'unqueue', n.id, n.seq .. ' ' .. n.handler .. (n.rank and '\31' .. n.rank or ''), n.pool) end
end
function flow.chunks_of(n) return 'chunks:' .. n.id end -- their source, which has the same name as its key
function flow.forget(c, n)
  if not nodes.is_over(n) then flow.unqueue(c, n) end
  if n.suspended == '1' then commands.add(c, 'unpark', n.id) end
  if n.planned and string.find(n.planned, 'u', 1, true) then call('HDEL', c.key_body, n.id .. nodes.UNDO) end
  if (n.contingency or '') ~= '' then call('HDEL', c.key_body, n.id .. nodes.DOUBT) end
  if n.kind == nodes.CHUNKS then
    commands.add(c, 'remove', n.id, '', n.pool)
    call('ZREM', c.key_children, nodes.tree(n.id) .. '#' .. nodes.ordinal(n.id))
    local _, tags = nodes.rank_parts(n.rank or '')
    for tag in string.gmatch(tags, '[^\30]+') do commands.once(c, 'place', flow.chunks_of(n), flow.chunks_of(n) .. ' ' .. tag, n.pool) end
  end
  c.gone[#c.gone + 1] = n.id
  c.nodes[n.id], c.changed_nodes[n.id], c.results[n.id], c.changed_roots[n.id] = false, nil, nil, nil
  if n.parent == '' then c.roots[n.id] = false end
end

-- Starts.
function flow.queue_up(c, n) -- false when its pool is not declared
  local q = c.pools[n.pool]
  if not q then return false end
  nodes.put(c, n)
  queue.enqueue(q, n)
  return true
end
function flow.may_iterate(c, n)
  if n.step ~= '' or n.created - n.finished > n.window / 2 then return end
  if c.no_room or not c.pools[n.pool] then return commands.add(c, 'iterate', n.id, '', n.pool) end
  n.step, n.seq = nodes.ASKED, ''
  flow.queue_up(c, n)
end
local function make_child(c, n, ordinal) -- a copy of the template, with ordinals of its own; false without a template
  local shift, block = ordinal - n.template, {}
  for i = 0, n.stride - 1 do block[i + 1] = nodes.relative(n, n.template + i) end
  nodes.load(c, block)
  for i = 1, #block do
    local of = nodes.get(c, block[i])
    if not of or of.state ~= nodes.TEMPLATE or i > 1 and (of.parent == '' or of.parent == nodes.FINALLY) then return false end
  end
  for i = 0, n.stride - 1 do
    local of = nodes.get(c, block[i + 1])
    local child = nodes.parse(c, nodes.relative(n, ordinal + i), nodes.text(of))
    child.state = nodes.WAITING
    child.origin = nodes.ordinal(of.id)
    if i == 0 then
      child.parent, child.element = nodes.ordinal(n.id), n.created
    else
      child.parent = decimal.of(child.parent + shift)
    end
    if child.first and child.first ~= '' then child.first = decimal.of(child.first + shift) end
    if child.kind == nodes.FOR_EACH then child.template = of.template end
    if child.kind == nodes.CHAIN and child.template ~= '' then child.template = decimal.of(child.template + shift) end
    roots.note(c, child, nodes.WAITING, 1)
    nodes.put(c, child)
  end
  c.nodes_left = c.nodes_left - n.stride + 1
  return true
end
-- Starts children while there is room for them, and ends the composite after its last one.
function flow.advance(c, n)
  if n.advancing or n.state ~= nodes.IDLE then return end
  n.advancing = true
  local window = tonumber(n.window)
  while n.state == nodes.IDLE and tonumber(n.created) < tonumber(n.count) and (window == 0 or n.created - n.finished < window) do
    local ordinal = n.first + n.created * n.stride
    c.turns_left = c.turns_left - 1
    if c.nodes_left <= 0 or c.turns_left < 0 or c.no_room and n.kind == nodes.FOR_EACH then
      local coming = nodes.get(c, nodes.relative(n, n.kind == nodes.FOR_EACH and n.template or ordinal))
      commands.add(c, 'advance', n.id, '', coming and coming.pool) -- whoever runs it declares that queue
      break
    end
    if n.kind == nodes.FOR_EACH and not make_child(c, n, ordinal) then break end
    n.created = decimal.of(n.created + 1)
    nodes.put(c, n)
    local child = nodes.get(c, nodes.relative(n, ordinal))
    if not child or nodes.is_over(child) then -- it was cancelled while it waited
      n.finished = decimal.of(n.finished + 1)
      c.nodes_left = c.nodes_left - 1
    else
      flow.activate(c, child.id)
    end
  end
  n.advancing = nil
  if n.state == nodes.IDLE and tonumber(n.finished) == tonumber(n.count) then
    if n.count == '0' then return flow.finish(c, n, true, 'J0\n[]') end
    flow.finish(c, n, true, n.kind == nodes.CHAIN and '@' .. decimal.of(n.first + n.count - 1) or '*')
  end
end
local function unfold(c, n) -- the children of an E: one for each element of its input
  local from, path = results.input(c, n)
  local count = from and from ~= nodes.tree(n.id) and results.elements(c, from, path)
  local facts, template = roots.of(c, n), nodes.get(c, nodes.relative(n, n.template))
  if not facts or not template then return end
  if not count or count > nodes.MOST_CHILDREN then
    local message = not from and 'forEach has no result before it'
      or not count and 'forEach needs an array, the result before it is none'
      or 'forEach has ' .. count .. ' elements, at most ' .. nodes.MOST_CHILDREN .. ' are allowed'
    return flow.finish(c, n, false, 'E' .. cjson.encode({reason = 'InputInvalid', message = message}))
  end
  local nodes_of_tree = roots.counts(facts)[roots.NODES] + count * n.stride
  if nodes_of_tree > roots.MOST_OF_TREE then
    local message = 'forEach makes ' .. count .. ' times ' .. n.stride .. ' nodes, the tree would have '
      .. decimal.of(nodes_of_tree) .. ', at most ' .. roots.MOST_OF_TREE .. ' are allowed'
    return flow.finish(c, n, false, 'E' .. cjson.encode({reason = 'InputInvalid', message = message}))
  end
  facts.count[roots.NODES] = nodes_of_tree
  n.first, n.count = facts.next, decimal.of(count)
  facts.next = decimal.of(facts.next + count * n.stride)
  if count > 0 and roots.is_recorded(facts) then
    commands.add(c, 'ranged', n.id, n.first .. ' ' .. n.count .. ' ' .. n.stride .. ' ' .. n.template)
  end
  c.changed_roots[facts.tree] = facts
  local total = count * template.total
  flow.add(c, n, 'total', total - n.total)
  n.total = decimal.of(total)
end
function flow.activate(c, id)
  local n = nodes.get(c, id)
  if not n or n.state ~= nodes.WAITING then return end
  if (n.kind == nodes.LEAF or n.kind == nodes.ITERATOR) and not c.pools[n.pool] then return commands.add(c, 'activate', id, '', n.pool) end
  local facts, deadline = n.parent == '' and roots.of(c, n), n.deadline or ''
  c.nodes_left = c.nodes_left - 1
  if facts then roots.start_clock(c, facts, n) end
  if deadline ~= '' then commands.expire_at(c, id, '', c.now + deadline) end
  flow.enter(c, n, n.kind == nodes.LEAF and nodes.STARTABLE or nodes.IDLE)
  if n.kind == nodes.LEAF then return flow.queue_up(c, n) end
  if n.kind == nodes.ITERATOR then return flow.may_iterate(c, n) end
  if n.kind == nodes.CHUNKS then
    local from, path = results.input(c, n)
    call('ZADD', c.key_children, 0, nodes.tree(id) .. '#' .. nodes.ordinal(id))
    return commands.add(c, 'begin', n.id, from and nodes.ordinal(from) .. ' ' .. path or '', n.pool)
  end
  if n.kind == nodes.FOR_EACH then unfold(c, n) end
  flow.advance(c, n)
end
local function tree_over(c, facts, top) -- the root and the node that runs at the end are over
  facts.ended = decimal.of(c.now)
  waits.ended(c, facts, top)
  if roots.is_recorded(facts) then commands.add(c, 'recorded', facts.tree) end
  if facts.keep == '0' and facts.watched ~= '1' and top.kind == nodes.LEAF and facts.finally == '' then
    flow.forget(c, top)
  elseif facts.keep ~= '' then
    commands.add(c, 'sweep', facts.tree, '', '', c.now + facts.keep)
  end
end
-- It ends by another's will while a worker has it, or while it is in doubt: its contingency is asked by a tree of its own, which
-- nobody waits for, once the worker has had the time to stop it. It ends within a day. Where its arguments are results of other
-- nodes, and no plan has given them, nobody can be asked.
local MOST_BODY, MOST_BODIES, APART, OF_APART = 1048576, 16777216, '-c', '0\t0\t1\t\t86400000\t\t\t\t\t'
flow.STOPS_MS = 10000
-- Whether it asks about a node that has ended. A tree of another's may have such an id.
function flow.is_apart(n) return n.parent == '' and string.sub(n.id, -2) == APART and nodes.is_in_doubt(n) end
local function refers(body) -- whether the document names results of other nodes
  if not string.find(body, '"results":{', 1, true) then return false end
  local ok, document = pcall(cjson.decode, body)
  return not ok or type(document) ~= 'table' or document.results
end
function flow.leave_doubt(c, n)
  if n.is_known or n.kind ~= nodes.LEAF or not n.contingency or flow.is_apart(n)
    or not (nodes.is_in_doubt(n) or n.state == nodes.LOCKED and nodes.is_unsure(n)) then
    return
  end
  local of, given = n.origin ~= '' and nodes.relative(n, n.origin) or n.id, results.get(c, n.id)
  local is_given = given and string.byte(given) == GIVEN
  local body = call('HSTRLEN', c.key_body, of) <= MOST_BODY and call('HGET', c.key_body, of) or nil
  local id = (n.parent == '' and n.id or nodes.tree(n.id) .. '-' .. nodes.ordinal(n.id)) .. APART
  c.asked_bytes = (c.asked_bytes or 0) + #(body or '')
  if not body or c.asked_bytes > MOST_BODIES or not is_given and (results.input(c, n) or refers(body)) or call('HEXISTS', c.key_roots, id) == 1 then return end
  local asked = nodes.parse(c, id, nodes.text(n))
  if not asked then return end
  asked.handler, asked.state, asked.parent, asked.origin, asked.element, asked.seq = nodes.contingency_of(n), nodes.WAITING, '', '', '', ''
  asked.max_trials, asked.failed, asked.lost, asked.progress, asked.suspended, asked.contingency = '0', '0', '0', '0', '', '0'
  call('HSET', c.key_body, id, body)
  if is_given then c.results[id] = given end
  c.changed_roots[id] = roots.parse(c, id, OF_APART)
  nodes.put(c, asked)
  commands.once(c, 'activate', id, '', '', c.now + flow.STOPS_MS)
end
local function end_node(c, n, ok, result)
  local p = nodes.parent(c, n)
  if not ok then flow.leave_doubt(c, n) end
  flow.unqueue(c, n)
  if ok or p and p.on_error == CONTINUE then
    if p then flow.add(c, n, 'progress', n.total - n.progress) end
    n.progress = n.total
  end
  flow.enter(c, n, ok and nodes.FINISHED or nodes.FAILED)
  if ok and n.kind == nodes.CHAIN and n.template ~= '' then -- what follows its chunks has ended: their results may go
    local chunks = nodes.get(c, nodes.relative(n, n.template))
    if chunks then commands.add(c, 'follow', chunks.id, '', chunks.pool) end
  end
  if result and result ~= '' then c.results[n.id] = result end
  if n.complex and not nodes.is_planning(n) then states.ended(c, n, ok, result) end
  events.tell(c, ok and events.EXECUTED or events.FAILED, n, result)
  if not ok and n.kind ~= nodes.LEAF then commands.add(c, n.kind == nodes.CHUNKS and 'follow' or 'prune', n.id, '', n.pool) end
  if n.kind == nodes.CHUNKS then call('ZREM', c.key_children, nodes.tree(n.id) .. '#' .. nodes.ordinal(n.id)) end
  if n.suspended == '1' then commands.add(c, 'unpark', n.id) end
  if not p then
    local facts = roots.of(c, n)
    if not facts then return end
    c.changed_roots[facts.tree] = facts
    if n.parent == '' and facts.expires ~= '' then roots.set_expiry(c, facts, n) end
    local last = facts.finally ~= '' and nodes.get(c, nodes.relative(n, facts.finally))
    local top = nodes.get(c, facts.tree)
    if n.parent == '' and last and not nodes.is_over(last) then return flow.activate(c, last.id) end
    if top and nodes.is_over(top) then tree_over(c, facts, top) end
    return
  end
  if nodes.is_over(p) then return end
  if not ok and p.on_error ~= CONTINUE then return flow.finish(c, p, false, results.error(c, n, p)) end
  -- A child that was cancelled before its turn counts when its turn comes.
  if p.kind ~= nodes.ITERATOR and (nodes.ordinal(n.id) - p.first) / p.stride >= tonumber(p.created) then return end
  p.finished = decimal.of(p.finished + 1)
  nodes.put(c, p)
  if p.kind ~= nodes.ITERATOR then return flow.advance(c, p) end
  call('ZREM', c.key_children, p.id .. '/' .. nodes.ordinal(n.id))
  if n.kind == nodes.LEAF then flow.forget(c, n) else commands.add(c, 'sweep', n.id) end
  if p.step == nodes.DONE and tonumber(p.finished) >= tonumber(p.created) then return flow.finish(c, p, true) end
  flow.may_iterate(c, p)
end
-- A node above more ends than a tree has levels stays as it is: nothing of it may run, see `nodes.is_alive`.
function flow.finish(c, n, ok, result)
  if c.ending > 2 * nodes.MOST_CLIMBS then return end
  c.ending = c.ending + 1
  end_node(c, n, ok, result)
  c.ending = c.ending - 1
end
function flow.try_later(c, n, delay) -- ms
  if n.kind == nodes.LEAF then flow.enter(c, n, nodes.RESTART) else n.step = nodes.RESTS end
  nodes.put(c, n)
  commands.add(c, 'retry', n.id, '', n.pool, c.now + delay)
end
-- Its contingency is asked, after so many ms, whether what it does was done. field: where the trial counts, or nothing; text:
-- why it is in doubt
local MOST_TEXT = 8192
function flow.doubt(c, n, field, delay, text)
  if field then n[field] = decimal.of(n[field] + 1) end
  n.handler, n.contingency = nodes.contingency_of(n), n.failed
  if #text > MOST_TEXT then text = '{"reason":"Error","message":"the error is too large to be kept"}' end
  call('HSET', c.key_body, n.id .. nodes.DOUBT, text)
  if delay > 0 then return flow.try_later(c, n, delay) end
  flow.enter(c, n, nodes.STARTABLE)
  flow.queue_up(c, n)
end
-- It was not done: it is tried again while it has trials, of which those of its contingency are none.
function flow.redo(c, n)
  local text = call('HGET', c.key_body, n.id .. nodes.DOUBT)
  call('HDEL', c.key_body, n.id .. nodes.DOUBT)
  local asked = math.max(0, n.failed - (tonumber(n.contingency) or tonumber(n.failed))) -- trials of its contingency that failed
  n.max_trials = decimal.of((tonumber(n.max_trials) or 0) + asked)
  n.handler, n.contingency = nodes.function_of(n), ''
  if tonumber(n.failed) >= tonumber(n.max_trials) or tonumber(n.lost) >= flow.MAX_LOST then
    n.is_known = true
    c.refused[n.id] = true
    return flow.finish(c, n, false, 'E' .. (text or '{"reason":"Error","message":"why it failed is not known"}'))
  end
  flow.enter(c, n, nodes.STARTABLE)
  flow.queue_up(c, n)
end
local function in_doubt(text) -- of a contingency that failed
  local ok, error = pcall(cjson.decode, #text <= MOST_TEXT and text or '')
  error = ok and type(error) == 'table' and error or {}
  local function words(field) return type(error[field]) == 'string' and error[field] or 'unknown' end
  local trial = type(error.trial) == 'number' and error.trial > 0 and error.trial < 1e9 and math.floor(error.trial) or nil
  return cjson.encode({reason = 'InDoubt', trial = trial,
    message = 'whether it was done is not known, and its contingency failed: ' .. words('reason') .. ': ' .. words('message')})
end
-- A trial that failed or lost its worker: again, or the end. delay: ms, or nil. Answers the verdict.
function flow.again_or_end(c, n, field, final, delay, text)
  if field == 'lost' and nodes.is_unsure(n) then
    flow.doubt(c, n, field, 0, text)
    return settling.RETRIED
  end
  n[field] = decimal.of(n[field] + 1)
  if final or tonumber(n.failed) >= nodes.most_trials(n) or field == 'lost' and tonumber(n.lost) >= flow.MAX_LOST then
    n.is_known = true
    flow.finish(c, n, false, 'E' .. (nodes.is_in_doubt(n) and in_doubt(text) or text))
    return settling.COUNTED
  end
  if delay then
    flow.try_later(c, n, delay)
  else
    if n.kind == nodes.LEAF then flow.enter(c, n, nodes.STARTABLE) end
    flow.queue_up(c, n)
  end
  return settling.RETRIED
end
-- A trial whose function passed with an answer that is not taken has failed: again, or the end, which is no pass. Answers the
-- verdict.
function flow.refuse(c, n, text)
  local verdict = flow.again_or_end(c, n, 'failed', false, nil, text)
  c.refused[n.id] = verdict == settling.COUNTED or nil
  return verdict
end
