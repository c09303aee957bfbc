-- The queues of pools' Tasks. Tasks wait in `plain` in the order in which they came. A worker that does not serve a task's
-- handler moves it, once, to `waiting`, where the tasks of one handler stand together; `handlers` has the number of the
-- first of each. So a pool has one order of all its tasks, and a claim passes over a handler whatever waits for it.
-- Tasks that are to run alone stand there as well, as if for a handler of the name !alone, which no handler has.
-- A task keeps its number: lost, returned and retried ones go before those that came later.
-- A task with a rank waits in its class instead (see task/classes); a claim takes the first one of both.
-- MODULE queue
-- USES common/decimal common/pages worker/ready worker/pace task/nodes task/permits task/aging task/classes task/turns task/offers
-- KEYS pools...: 0..288; of each pool its queue (hash), plain, handlers, waiting, ready, wake, ranks, classes, turns; a worker's
--   own pool is the first
local ALONE = '!alone'
local KEYS_A_POOL, MOST_ASIDE, MOST_HANDLERS = 9, 64, 1024
-- The queues by the names of their pools, and the first one. Keys that are no queues end the script with an error.
function queue.open(keys, first)
  local pools, own, aside = {}, nil, {left = MOST_ASIDE}
  if (#keys - first + 1) % KEYS_A_POOL ~= 0 then error(redis.error_reply('ERR a pool has ' .. KEYS_A_POOL .. ' keys')) end
  for i = first, #keys, KEYS_A_POOL do
    local name = string.match(keys[i], ':pool:([^:]+):tasks$')
    if not name then error(redis.error_reply('ERR ' .. keys[i] .. ' is no queue of a pool')) end
    pools[name] = {name = name, hash = keys[i], plain = keys[i + 1], handlers = keys[i + 2], waiting = keys[i + 3],
      ready = keys[i + 4], wake = keys[i + 5], ranks = keys[i + 6], classes = keys[i + 7], turns = keys[i + 8],
      source = 'tasks:' .. name, arriving = {}, leaving = {}, running_by = 0, pace = pace.open(), aside = aside,
      touched = false, facts = false, ranked = false, known = false, gates = false, permits = false, offers = false, claimed = false,
      shares = false} -- so that it need not grow
    own = own or pools[name]
  end
  return pools, own
end
-- What the queue's hash said when the script came. `ordering` is 1 where tasks have ranks, take turns or age; most queues know
-- the order of arrival alone.
local function facts_of(q)
  if not q.facts then
    local f = call('HMGET', q.hash, 'status', 'running', 'ready', 'trials', 'run_ms', 'ordering')
    q.facts = {status = f[1], running = f[2], ready = f[3], trials = f[4], run_ms = f[5], ordering = f[6] == '1'}
    if q.facts.ordering then
      local o = call('HMGET', q.hash, 'ranks', 'fair', 'ageing', 'priority', 'delayed', 'held', 'limited')
      q.facts.ranks, q.facts.fair, q.facts.ageing, q.facts.priority, q.facts.blocked = o[1], o[2], o[3], o[4], o[5]
      q.facts.held, q.facts.limited = o[6], o[7]
      q.ranked = q.ranked or o[1] == '1'
    end
  end
  return q.facts
end
-- Notes whether it knows another order than that of arrival. `ranked`: how many tasks have a rank.
local function note_ordering(q, facts, ranked)
  local ordering = ranked > 0 or facts.fair or facts.ageing or facts.held == '1'
  if facts.ordering ~= (ordering and true or false) then call('HSET', q.hash, 'ordering', ordering and 1 or 0) end
end
local function waiting_member(handler, seq, id) return handler .. '\0' .. string.format('%015.0f', seq) .. id end
-- Whether its keys of fairness take turns.
function queue.is_fair(q) return facts_of(q).fair and true or false end
-- The task will be queued, where it was before if it was. The number is the node's field seq.
function queue.enqueue(q, n)
  q.arriving[#q.arriving + 1] = n
  q.touched = true
end
-- The task will be taken out of the queue, also if it came in the same script.
function queue.remove(q, n)
  n.left = true
  q.leaving[#q.leaving + 1] = n
  q.touched = true
end
-- Notes the number of a handler's first task.
local function first_of(q, handler)
  local head = call('ZRANGEBYLEX', q.waiting, '[' .. handler .. '\0', '(' .. handler .. '\1', 'LIMIT', 0, 1)[1]
  if head then
    call('ZADD', q.handlers, string.sub(head, #handler + 2, #handler + 16), handler)
  else
    call('ZREM', q.handlers, handler)
  end
end
local function take_out(q, tasks) -- wherever they wait
  local plain, waiting, handlers, ranked = {}, {}, {}, {}
  for i = 1, #tasks do
    if tasks[i].rank then ranked[#ranked + 1] = tasks[i] else plain[#plain + 1] = tasks[i].id end
  end
  local found = #ranked > 0 and #classes.remove(q, ranked) or 0
  pages.each(plain, function(...) found = found + call('ZREM', q.plain, ...) end)
  if found == #tasks then return end
  for i = 1, #tasks do
    local n = tasks[i]
    if n.seq ~= '' then
      waiting[#waiting + 1] = waiting_member(n.handler, n.seq, n.id)
      waiting[#waiting + 1] = waiting_member(ALONE, n.seq, n.id)
      handlers[n.handler], handlers[ALONE] = true, true
    end
  end
  pages.each(waiting, function(...) call('ZREM', q.waiting, ...) end)
  for handler in pairs(handlers) do first_of(q, handler) end
end
-- Tasks have other ranks from now on, each a pair of task and rank or nil. One that waits here is queued by it under the
-- number that it has. Others, such as those that run alone, get it when they come.
function queue.rerank(q, pairs_of)
  local with, moved, handlers = {}, {}, {}
  for i = 1, #pairs_of do
    local n = pairs_of[i][1]
    if n.rank then
      with[#with + 1] = n
    elseif call('ZREM', q.plain, n.id) == 1 then
      moved[#moved + 1] = n
    elseif n.seq ~= '' and call('ZREM', q.waiting, waiting_member(n.handler, n.seq, n.id)) == 1 then
      moved[#moved + 1], handlers[n.handler] = n, true
    end
  end
  for handler in pairs(handlers) do first_of(q, handler) end
  if #with > 0 then
    for _, n in ipairs(classes.remove(q, with)) do moved[#moved + 1] = n end
  end
  for i = 1, #pairs_of do pairs_of[i][1].rank = pairs_of[i][2] end
  for i = 1, #moved do queue.enqueue(q, moved[i]) end
end
-- Writes what arrived and what leaves. Before a claim, and at the end.
local function write(c, q)
  if #q.leaving > 0 then
    take_out(q, q.leaving)
    q.leaving = {}
  end
  local tasks, new, rows, ranked = {}, 0, {}, {}
  for i = 1, #q.arriving do
    local n = q.arriving[i]
    if not n.left then
      tasks[#tasks + 1] = n
      if n.seq == '' then new = new + 1 end
    end
  end
  q.arriving = {}
  if #tasks == 0 then return offers.make(c, q) end
  local seq, facts = new > 0 and call('HINCRBY', q.hash, 'seq', new) - new, facts_of(q)
  local fair = facts.fair and (tonumber(facts.fair) or 0)
  for i = 1, #tasks do
    local n = tasks[i]
    if nodes.is_planning(n) then n.rank = n.rank or aging.NO_RANK end
    if n.seq == '' then
      seq = seq + 1
      if n.rank and (n.kind ~= nodes.ITERATOR or n.created == '0') then n.rank = nodes.resolved(q, n.rank) end -- once
      if n.rank or facts.ageing then aging.note(n, facts.ageing, c.now) end
      if n.rank and not classes.fits(n) then n.rank = nil end
      n.seq = decimal.of(fair and not nodes.is_planning(n) and turns.of(q, n, fair) or seq)
    elseif n.rank then
      aging.again(n, facts.ageing, c.now)
      if not classes.fits(n) then n.rank = nil end
    end
    if n.rank then
      ranked[#ranked + 1] = n
    else
      rows[#rows + 1], rows[#rows + 2] = n.seq, n.id
    end
  end
  pages.each(rows, function(...) call('ZADD', q.plain, ...) end)
  if #ranked > 0 then classes.add(q, ranked) end
  offers.make(c, q)
end
-- Queues tasks that were taken out of `plain` in the lines of their handlers, or in that line.
local function set_aside(q, tasks, line)
  local rows, handlers = {}, {}
  for i = 1, #tasks do
    local n = tasks[i]
    rows[i * 2 - 1], rows[i * 2] = 0, waiting_member(line or n.handler, n.seq, n.id)
    handlers[line or n.handler] = true
  end
  pages.each(rows, function(...) call('ZADD', q.waiting, ...) end)
  for handler in pairs(handlers) do first_of(q, handler) end
end
-- The first tasks of `plain` as the worker sees them: those that it serves with their numbers, and others to be set aside.
-- Answers also the number up to which nothing is unknown; beyond it a task that was not looked at may go first.
local function look(c, q, most, aside, served)
  local got, ids = call('ZRANGE', q.plain, 0, most - 1, 'WITHSCORES'), {}
  for i = 1, #got / 2 do ids[i] = got[i * 2 - 1] end
  nodes.load(c, ids)
  local mine, numbers, others, known = {}, {}, {}, #ids < most and math.huge or 0
  for i = 1, #ids do
    local handler, seq = nodes.handler_of(c, ids[i]), tonumber(got[i * 2])
    local n = handler ~= '' and not served[handler] and nodes.get(c, ids[i])
    if not n then
      mine[#mine + 1], numbers[#numbers + 1] = ids[i], got[i * 2]
    elseif #others < aside then
      n.seq = got[i * 2]
      others[#others + 1] = n
    else
      return mine, numbers, others, i > 1 and tonumber(got[i * 2 - 2]) or 0
    end
    if known < seq then known = seq end
  end
  return mine, numbers, others, known
end
-- The lines of tasks without a rank that the worker serves: one of `plain`, and one of each handler with tasks in `waiting`.
local function read_on(q, line) -- its next page
  local from = line.last and '(' .. line.last or '[' .. line.handler .. '\0'
  local page = call('ZRANGEBYLEX', q.waiting, from, '(' .. line.handler .. '\1', 'LIMIT', 0, line.size)
  line.tasks, line.at, line.more = {}, 1, #page == line.size
  line.last, line.size = page[#page], line.size * 4
  for i = 1, #page do
    line.tasks[i] = {id = string.sub(page[i], #line.handler + 17), handler = line.handler, member = page[i],
      seq = tonumber(string.sub(page[i], #line.handler + 2, #line.handler + 16)) or 0}
  end
end
local function lines_of(q, mine, numbers, served, ranked) -- nothing where only `plain` has any
  local heads, lines = call('ZRANGE', q.handlers, 0, MOST_HANDLERS - 1), ranked and {{tasks = {}, at = 1}} or nil
  for i = 1, #heads do
    if served[heads[i]] then
      lines = lines or {{tasks = {}, at = 1}}
      lines[#lines + 1] = {handler = heads[i], size = 4}
      read_on(q, lines[#lines])
    end
  end
  for i = 1, lines and #mine or 0 do
    lines[1].tasks[i] = {id = mine[i], seq = tonumber(numbers[i]), number = numbers[i]}
  end
  return lines
end
local function next_of(q, lines) -- the first task of all lines, or nil
  local best
  for i = 1, #lines do
    local line = lines[i]
    if not line.tasks[line.at] and line.more then read_on(q, line) end
    local task = line.tasks[line.at]
    if task and (not best or task.seq < best.tasks[best.at].seq) then best = line end
  end
  return best
end
-- Takes the first tasks that the worker serves out of the queue, at most so many: their ids and numbers. `served` is a set
-- of handlers. A script sets MOST_ASIDE tasks of other handlers aside at most; with those it may take fewer than there are.
function queue.claim(c, q, wanted, served)
  local out, out_numbers, aside, again = {}, {}, 0, false
  write(c, q)
  facts_of(q)
  q.claimed = true
  repeat
    local mine, numbers, others, known = look(c, q, wanted - #out, q.aside.left, served)
    local ranked = q.ranked and classes.open(q, wanted - #out, served) or nil
    local lines = lines_of(q, mine, numbers, served, ranked)
    local plain, waiting, handlers = {}, {}, {}
    for i = 1, lines and 0 or #mine do
      if tonumber(numbers[i]) > known then break end
      out[#out + 1], out_numbers[#out + 1], plain[#plain + 1] = mine[i], numbers[i], mine[i]
    end
    while lines and #out < wanted do
      local line = next_of(q, lines)
      local task = line and line.tasks[line.at]
      local id, seq
      if ranked then id, seq = classes.first(q, ranked, task and task.seq <= known and task.seq or known) end
      if id then
        out[#out + 1], out_numbers[#out + 1] = id, decimal.of(seq)
      elseif not task or task.seq > known or ranked and ranked.full then
        break
      else
        line.at = line.at + 1
        out[#out + 1], out_numbers[#out + 1] = task.id, task.number or string.format('%.0f', task.seq)
        if task.handler then
          waiting[#waiting + 1] = task.member
          handlers[task.handler] = true
        else
          plain[#plain + 1] = task.id
        end
      end
    end
    again = ranked and classes.taken(q, ranked)
    if ranked then offers.make(c, q) end
    if #waiting > 0 then
      call('ZREM', q.waiting, unpack(waiting))
      for handler in pairs(handlers) do first_of(q, handler) end
    end
    for i = 1, #others do plain[#plain + 1] = others[i].id end
    if #plain > 0 then call('ZREM', q.plain, unpack(plain)) end
    if #others > 0 then set_aside(q, others) end
    aside, q.aside.left = aside + #others, q.aside.left - #others
  until #out == wanted or q.spent or not again and (#others == 0 or q.aside.left == 0)
  if #out > 0 or aside > 0 then q.touched = true end
  return out, out_numbers
end
-- These tasks, which were taken out, wait for a session that holds nothing.
function queue.isolate(q, tasks) set_aside(q, tasks, ALONE) end
function queue.has_isolated(q) return call('ZSCORE', q.handlers, ALONE) end
-- Takes the tasks that are to run alone out of the queue, one after the other, until `try` answers that it holds one. At
-- most LOOKED_AT are looked at, with those of handlers that the worker does not serve.
local LOOKED_AT = 16
function queue.claim_isolated(c, q, served, try)
  local page = call('ZRANGEBYLEX', q.waiting, '[' .. ALONE .. '\0', '(' .. ALONE .. '\1', 'LIMIT', 0, LOOKED_AT)
  for i = 1, #page do
    local seq, id = string.match(page[i], '^[^%z]*%z(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(.*)$')
    local n = id and nodes.get(c, id)
    if not n or n.handler == '' or served[n.handler] then
      call('ZREM', q.waiting, page[i])
      first_of(q, ALONE)
      q.touched = true
      q.claimed = true
      if n and n.rank and permits.take(q, nodes.needs(n), id) then
        n.seq = decimal.of(tonumber(seq) or 0)
        nodes.put(c, n)
        queue.enqueue(q, n) -- it waits in its class, as others do
      else
        permits.grant(q)
        if try(n, decimal.of(tonumber(seq) or 0), id) then return end
      end
    end
  end
end
-- The tasks of these ids are not held, or no more: permits of theirs are free.
function queue.give_back(q, ids)
  local p = q.permits
  if #ids > 0 and (p and (p.held or next(p.started)) or facts_of(q).held == '1') then permits.give_back(q, ids) end
end
-- The tokens of the permits that a task holds, as JSON, or nothing.
function queue.tokens(q, id)
  if q.claimed then return q.permits and permits.tokens(q, id, true) or '' end
  return facts_of(q).held == '1' and permits.tokens(q, id) or ''
end
-- So many tasks are held from now on; these are no more.
function queue.hold(q, tasks) q.running_by, q.pace.moved = q.running_by + tasks, true end
function queue.release(q, ids)
  queue.give_back(q, ids)
  q.running_by, q.pace.moved, q.touched = q.running_by - #ids, true, true
end
-- A number that grows with each task that came, where tasks wait that a worker which found nothing does not serve; else -1.
function queue.unserved(q)
  return (q.ranked and classes.any_open(q) or call('ZCARD', q.waiting) > 0) and (tonumber(call('HGET', q.hash, 'seq') or '0') or 0) or -1
end
-- How many tasks a worker that serves these handlers may find; those of `plain` may turn out to be others'.
function queue.claimable(q, served)
  local count, heads = call('ZCARD', q.plain), call('ZRANGE', q.handlers, 0, MOST_HANDLERS - 1)
  for i = 1, #heads do
    if served[heads[i]] then
      count = count + call('ZLEXCOUNT', q.waiting, '[' .. heads[i] .. '\0', '(' .. heads[i] .. '\1')
    end
  end
  facts_of(q)
  return q.ranked and count + classes.claimable(q, served) or count
end
-- Writes what is left to write of all pools, and puts them into their pools' order or takes them out.
function queue.close(c)
  for _, q in pairs(c.pools) do
    if q.touched then
      write(c, q)
      local facts = facts_of(q)
      if not facts.status then
        call('HSET', q.hash, 'status', 'running', 'pool', q.name, 'deadline_at', 0, 'delayed', 0, 'priority', 0,
          'virtual_time', 0)
      end
      local running = math.max(0, (tonumber(facts.running or '0') or 0) + q.running_by)
      local queued = call('ZCARD', q.plain) + call('ZCARD', q.waiting)
      local ranked, blocked = 0, 0
      if q.ranked or q.permits then ranked, blocked = classes.close(q, facts, queued > 0, c.now) end
      queued = queued + ranked
      if facts.fair and queued == 0 then turns.forget(q, facts) end
      if facts.ageing and queued == 0 then aging.forget(q, facts) end
      note_ordering(q, facts, ranked)
      call('HSET', q.hash, 'running', running, 'left', queued + running,
        pace.fields(q.hash, q.pace, c.now, facts.trials, facts.run_ms))
      order.keep(q, queued > blocked, facts.ready == '1')
    end
  end
end
