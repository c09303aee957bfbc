-- Tasks with a rank: a priority of their own, tags, what they aged, or what another task lends them. Those of one handler
-- with the same tags are a class, which stands among the pool's Tasks where its first task belongs. So what a tag is worth
-- moves classes, never tasks. A queue whose field `ordering` is not 1 has none of this, and calls nothing here.
-- `ranks` is a sorted set with scores of 0. Numbers have 15 digits, <K> is HALF - 1000 * relPriority + aged, <P> is <K> less
-- 1000 times the boosts of the tags, or what is lent where that is less:
--   t<class> NUL <K><number><id>     a task
--   o NUL <P><number> NUL <class>    a class, by its first task
--   g<gate> NUL <handler> NUL <P><number> NUL <class>    a class that waits for this resource, the first of its own that is
--                                    missing or has no permit left; by the first letters of its name
--   h<class>                         an open class; its name begins with its handler
--   i<tag> NUL <class>               the classes of a tag, lent ones too
--   r<resource> NUL <class>          the classes of a resource, or of its pattern
--   b<owner> NUL <tag> NUL <boost>   what an owner has set
--   s<tag> NUL <source> NUL <key>    a source of the pool that has the tag, see task/sources; u<resource> ... one that names it
--   d<name>, w<few> NUL <name>       resources that are declared or closed, and those that tasks wait for, see task/gates
--   p<name> NUL <id>, k<id> ...      permits that tasks hold, see task/permits
-- `classes` is a hash: c<class> to its record, +<tag> to the sum of its boosts, ><tag> and <<resource> to the class behind which a
-- change goes on, @<owner> to the end of its lease.
-- MODULE classes
-- USES common/pages worker/turn task/commands task/gates task/permits task/nodes task/aging
local HALF, NONE_LENT = 500000000000000, 999999999999999
-- Classes of other handlers that a claim passes over; classes of which it takes tasks; classes that a change moves at once.
local MOST_PASSED, MOST_TOUCHED = 1024, 32
classes.PAGE = 32
classes.PLAIN = '500000000000000' -- the P of a task without a rank
local MOST_BOOSTS, MOST_PRIORITY = 4e11, 99999
local function digits(x) return string.format('%015.0f', math.max(0, math.min(x, 999999999999999))) end
local function whole(text) -- 0 for what is none: a tenant may have written it
  return text and #text <= 15 and string.find(text, '^%-?%d+$') and tonumber(text) or 0
end
-- What a script knows of a queue's classes.
local function of(q)
  if not q.known then q.known = {classes = {}, dirty = {}, boosts = {}, digests = {}} end
  return q.known
end
local function digest(q, handler)
  local digests = of(q).digests
  digests[handler] = digests[handler] or string.sub(redis.sha1hex(handler), 1, 6)
  return digests[handler]
end
function classes.boost_of(q, list) -- of the tags of a list, joined by \30
  local sum, boosts = 0, of(q).boosts
  for tag in string.gmatch(list, '[^\30]+') do
    boosts[tag] = boosts[tag] or whole(call('HGET', q.classes, '+' .. tag))
    sum = sum + boosts[tag]
  end
  return math.max(-MOST_BOOSTS, math.min(sum, MOST_BOOSTS))
end
-- The P of the best group of `lent`: each has a priority, what it aged, and tags, and they are joined by \29.
local function lent_of(q, lent)
  local best = NONE_LENT
  for group in string.gmatch(lent, '[^\29]+') do
    local priority, aged, tags = string.match(group, '^(%-?%d+)@?(%d*)(.*)$')
    if priority then best = math.min(best, HALF - 1000 * (whole(priority) + classes.boost_of(q, tags)) + whole(aged)) end
  end
  return math.max(0, best)
end
local function place_of(class, K) return digits(math.min(tonumber(K) - 1000 * class.boosts, class.lent)) end
local function head_of(class)
  return (class.gate == '' and 'o' or 'g' .. class.gate .. '\0' .. string.sub(class.name, 1, 6)) .. '\0' .. class.P .. class.seq .. '\0'
    .. class.name
end
-- The gate, or where it is open the name under which its tasks count, see task/permits.
local function state_of(class)
  return class.gate ~= '' and '\30' .. class.gate or class.counted ~= '' and '\29' .. class.counted or ''
end
local function record_of(class)
  return string.format('%.0f\31%.0f\31%s\31%s\31%s%s\31%s', class.boosts, class.lent, class.K, class.P, class.seq,
    state_of(class), class.text)
end
local MOST_RECORD, LONGEST_NAME = 8192, 24 -- bytes of a class' record; of its name, where others have the same digest
local function parse(name, record) -- false for one that makes no sense
  if #(record or '') > MOST_RECORD then return false end
  local boosts, lent, K, P, seq, mark, at, text = string.match(record or '',
    '^(%-?%d+)\31(%d+)\31(%d+)\31(%d+)\31(%d+)([\29\30]?)([!-~]*)\31(.*)$')
  local handler, tags, groups, resources = string.match(text or '', '^([^\31]*)\31([^\31]*)\31([^\31]*)\31?([^\31]*)$')
  if not handler or #boosts > 15 or #lent > 15 or #K ~= 15 or #P ~= 15 or #seq ~= 15 or not gates.are_names(resources, at) then return false end
  return {name = name, boosts = tonumber(boosts), lent = tonumber(lent), K = K, P = P, seq = seq, gate = mark == '\30' and at or '',
    counted = mark == '\29' and at or '', text = text, tags = tags, groups = groups, resources = resources}
end
local function read(q, names) -- each once in a script
  local known, ask, fields = of(q).classes, {}, {}
  for i = 1, #names do
    if known[names[i]] == nil then
      ask[#ask + 1], fields[#fields + 1] = names[i], 'c' .. names[i]
      known[names[i]] = false
    end
  end
  if #ask == 0 then return end
  local records = call('HMGET', q.classes, unpack(fields))
  for i = 1, #ask do known[ask[i]] = parse(ask[i], records[i]) end
end
-- The name of the class with this text: 6 hex of its handler, by which a claim passes over it, and 10 of all. Where another
-- text has that name already, it is lengthened.
local function class_of(q, handler, text)
  local name, known = digest(q, handler) .. string.sub(redis.sha1hex(text), 1, 10), of(q).classes
  while true do
    read(q, {name})
    if not known[name] or known[name].text == text or #name >= LONGEST_NAME then return name, known[name] end
    name = name .. '+'
  end
end
-- K, and the text of its class. Plans stand before all else, as one class for each function, and for each complex task.
local function rank_of(n)
  if nodes.is_planning(n) then return digits(HALF), nodes.of_parts(n.handler, '', aging.BEFORE_ALL, nodes.needs(n)) end
  local priority, aged, rest = string.match(n.rank, '^(%-?%d+)@?(%d*)(.*)$')
  return digits(HALF - 1000 * whole(priority) + whole(aged)), n.handler .. rest
end
local function add_index(rows, class, score)
  local function add(row)
    if score then rows[#rows + 1] = score end
    rows[#rows + 1] = row
  end
  if class.gate == '' then add('h' .. class.name) end
  for tag in string.gmatch(class.tags, '[^\30]+') do add('i' .. tag .. '\0' .. class.name) end
  for group in string.gmatch(class.groups, '[^\29]+') do
    for tag in string.gmatch(string.match(group, '^%-?%d*@?%d*(.*)$'), '[^\30]+') do add('i' .. tag .. '\0' .. class.name) end
  end
  for resource in string.gmatch(class.resources, '[^\30]+') do
    local pattern = gates.pattern(resource)
    add('r' .. resource .. '\0' .. class.name)
    if pattern then add('r' .. pattern .. '\0' .. class.name) end
  end
end
local function change(q, out, into)
  pages.each(out, function(...) call('ZREM', q.ranks, ...) end)
  pages.each(into, function(...) call('ZADD', q.ranks, ...) end)
  if #out > 0 or #into > 0 then q.touched = true end
end
-- The class has another first task from now on.
local function set_head(q, class, K, seq, out, into)
  if class.P then out[#out + 1] = head_of(class) end
  class.K, class.seq, class.P = K, seq, place_of(class, K)
  into[#into + 1], into[#into + 2] = 0, head_of(class)
  of(q).dirty[class.name] = class
end
local function end_class(q, class, out)
  out[#out + 1] = head_of(class)
  add_index(out, class)
  of(q).dirty[class.name], of(q).classes[class.name] = false, false
end
local function count_of(q, name) return call('ZLEXCOUNT', q.ranks, '[t' .. name .. '\0', '(t' .. name .. '\1') end
-- So many more of its tasks are queued, or fewer.
local function note_tasks(q, class, by)
  gates.behind(q, class.gate, by)
  permits.opened(q, class.counted, by)
end
-- The class waits for the first of its resources that is missing now or has no permit left, or for none. One that waits no
-- more for a permit may be told to come by an offer alone.
local function set_gate(q, class, out, into, by_offer)
  local gate, counted = permits.first_lacking(q, class.resources)
  if gate == class.gate and counted == class.counted then return permits.opened(q, counted, 0) end -- it may have more of them
  if by_offer and gate == '' and class.gate ~= '' and permits.is_counted(q, class.gate) then return permits.offer(q, class.gate) end
  local tasks, head, was_open = count_of(q, class.name), head_of(class), class.gate == ''
  note_tasks(q, class, -tasks)
  of(q).dirty[class.name], class.counted = class, counted
  if gate == class.gate then return permits.opened(q, counted, tasks) end
  if was_open then
    permits.yield(q, class.resources)
    out[#out + 1] = 'h' .. class.name
  end
  out[#out + 1], class.gate = head, gate
  note_tasks(q, class, tasks)
  into[#into + 1], into[#into + 2] = 0, head_of(class)
  if gate == '' then
    into[#into + 1], into[#into + 2] = 0, 'h' .. class.name
    of(q).opened = true
  end
end
local function tasks_of(q, name, from, size)
  return call('ZRANGEBYLEX', q.ranks, from and '(' .. from or '[t' .. name .. '\0', '(t' .. name .. '\1', 'LIMIT', 0, size)
end
local function split(name, member) -- K, number, id
  local at = #name + 3
  return string.sub(member, at, at + 14), string.sub(member, at + 15, at + 29), string.sub(member, at + 30)
end
-- Whether the task can have a rank: a tenant may have written a handler that makes no class.
function classes.fits(n) return not string.find(n.handler, '[\31%z]') and #n.handler + #n.rank < MOST_RECORD / 2 end
local function set_gates(q, list)
  local out, into = {}, {}
  for i = 1, #list do set_gate(q, list[i], out, into) end
  change(q, out, into)
end
-- Tasks with a rank, which have their numbers, join their classes.
function classes.add(q, tasks)
  local heads, counts, made, into, out, order, better = {}, {}, {}, {}, {}, {}, {}
  q.ranked = true
  for i = 1, #tasks do
    local n = tasks[i]
    local K, text = rank_of(n)
    local name, class = class_of(q, n.handler, text)
    if not class then
      class = parse(name, '0\031999999999999999\31' .. K .. '\31' .. K .. '\31' .. digits(0) .. '\31' .. text)
      if not class then error(redis.error_reply('ERR the class of a task has a text that makes no sense')) end
      class.P, class.boosts, class.lent = nil, classes.boost_of(q, class.tags), lent_of(q, class.groups)
      class.gate, class.counted = permits.first_lacking(q, class.resources)
      of(q).classes[name], made[#made + 1] = class, class
    end
    local key = K .. digits(tonumber(n.seq))
    if not heads[name] then order[#order + 1] = name end
    if not heads[name] or key < heads[name] then heads[name] = key end
    counts[name] = (counts[name] or 0) + 1
    into[#into + 1], into[#into + 2] = 0, 't' .. name .. '\0' .. key .. n.id
  end
  for i = 1, #made do add_index(into, made[i], 0) end
  for i = 1, #order do
    local class, key = of(q).classes[order[i]], heads[order[i]]
    note_tasks(q, class, counts[order[i]])
    if not class.P or key < class.K .. class.seq then
      if class.P and class.gate ~= '' then better[#better + 1] = class end
      set_head(q, class, string.sub(key, 1, 15), string.sub(key, 16), out, into)
    end
  end
  change(q, out, into)
  set_gates(q, better) -- they may be better than what competes for a permit that is free
end
-- Takes tasks out of their classes; answers those that were there.
function classes.remove(q, tasks)
  local found, names, out, into = {}, {}, {}, {}
  for i = 1, #tasks do
    local n = tasks[i]
    if n.seq ~= '' then
      local K, text = rank_of(n)
      local name = class_of(q, n.handler, text)
      if call('ZREM', q.ranks, 't' .. name .. '\0' .. K .. digits(whole(n.seq)) .. n.id) == 1 then
        found[#found + 1], names[name] = n, (names[name] or 0) + 1
      end
    end
  end
  for name, gone in pairs(names) do
    local class, first = of(q).classes[name], tasks_of(q, name, nil, 1)[1]
    local K, seq
    if first then K, seq = split(name, first) end
    if class then note_tasks(q, class, -gone) end
    if class and (not first or K .. seq ~= class.K .. class.seq) then
      if class.gate == '' then permits.yield(q, class.resources) end
      if first then set_head(q, class, K, seq, out, into) else end_class(q, class, out) end
    end
  end
  if #found > 0 then q.ranked, q.touched = true, true end
  change(q, out, into)
  return found
end
-- Open classes that the worker serves behind too many others, best first; answers whether these are all. They stand by
-- handler. Where there are more, looks begin at a place that changes with each settlement.
local MOST_FOUND = 128
local function find_behind(q, m, handlers)
  local known, names, from, left, all = {}, {}, '', MOST_FOUND, true
  if q.facts then from = string.sub(redis.sha1hex((q.facts.trials or '') .. ' ' .. (q.facts.running or '')), 1, 4) end
  for i = 1, #m.live do known[m.live[i].name] = true end
  for i = 1, #handlers do
    local row, size = 'h' .. handlers[i], math.max(2, math.floor(left / (#handlers - i + 1)))
    local page = call('ZRANGEBYLEX', q.ranks, '[' .. row .. from, '(' .. row .. 'g', 'LIMIT', 0, size)
    local again = from ~= '' and #page < size
      and call('ZRANGEBYLEX', q.ranks, '[' .. row, '(' .. row .. from, 'LIMIT', 0, size - #page) or {}
    for _, rows in ipairs({page, again}) do
      for k = 1, #rows do
        local name = string.sub(rows[k], 2)
        if not known[name] then names[#names + 1] = name end
      end
    end
    left, all = left - #page - #again, all and #page + #again < size
  end
  read(q, names)
  local found = {}
  for i = 1, #names do
    local class = of(q).classes[names[i]]
    if class and class.gate == '' then
      found[#found + 1] = {key = class.P .. class.seq, name = names[i], head = head_of(class), taken = 0}
    else
      m.gone[#m.gone + 1] = 'h' .. names[i] -- no class is open under this name
    end
  end
  table.sort(found, function(one, other) return one.key < other.key end)
  for i = 1, #found do m.live[#m.live + 1] = found[i] end
  return all
end
-- Begins a claim: the classes that the worker serves, best first. `full` is true once better ones may be unknown.
function classes.open(q, wanted, served)
  local m = {live = {}, at = 1, touched = {}, gone = {}, full = false, shut = 0, wanted = wanted, served = served}
  local handlers, mine, seen, last, page, size = {digest(q, '')}, {[digest(q, '')] = true}, 0, nil, nil, nil
  for handler in pairs(served) do
    if not mine[digest(q, handler)] then handlers[#handlers + 1] = digest(q, handler) end
    mine[digest(q, handler)] = true
  end
  repeat
    size = last and MOST_PASSED or wanted + 1
    page = call('ZRANGEBYLEX', q.ranks, last and '(' .. last or '[o\0', '(o\1', 'LIMIT', 0, size)
    for i = 1, #page do
      if mine[string.sub(page[i], 34, 39)] and #m.live <= wanted then
        m.live[#m.live + 1] = {key = string.sub(page[i], 3, 32), name = string.sub(page[i], 34), head = page[i], taken = 0}
      end
    end
    seen, last = seen + #page, page[#page]
  until #m.live > wanted or seen > MOST_PASSED or #page < size
  local all = #m.live > wanted or #page < size or find_behind(q, m, handlers)
  -- Behind this nothing is known.
  m.bound = #m.live > 0 and (#m.live > wanted or not all) and m.live[#m.live].key or nil
  return m
end
local function go_on(q, m, at) -- to the class' next task; false when there is none
  local i = (at.i or 0) + 1
  if not at.page or not at.page[i] then
    local size = #m.live == 1 and m.wanted + 1 or at.taken == 0 and 2 or math.min(64, at.taken * 4)
    at.page, i = tasks_of(q, at.name, at.last, size), 1
    at.last = at.page[#at.page]
  end
  at.i, at.member = i, at.page[i]
  if not at.member then return false end
  at.K, at.seq, at.id = split(at.name, at.member)
  at.key = place_of(at.class, at.K) .. at.seq
  return true
end
-- The class has to wait. If it kept others from permits, those come first, so the claim looks anew.
local function waits(q, m, at, gate)
  at.shut, m.shut = true, m.shut + 1
  if permits.kept_others(q, at.class.resources, gate) then m.full = true end
end
-- Reads a class, a few at a time, and goes to its first task; false where there is none.
local function touch(q, m, at)
  local names = {}
  for i = m.at, math.min(m.at + 7, #m.live) do names[#names + 1] = m.live[i].name end
  read(q, names)
  local class = of(q).classes[at.name]
  m.touched[#m.touched + 1] = at
  at.class = class and head_of(class) == at.head and class
  local handler = at.class and string.match(class.text, '^[^\31]*')
  if handler and handler ~= '' and not m.served[handler] then return false end -- which has the same digest as another one
  local gate, counted = '', ''
  if handler then gate, counted = permits.first_lacking(q, at.class.resources) end
  if gate ~= '' then -- a change has not come to it yet, or others took the permits
    waits(q, m, at, gate)
    return false
  end
  at.counted = counted ~= ''
  at.empty = not at.class or not go_on(q, m, at)
  return not at.empty
end
local function sink(m, at) -- the best one stands first
  local i = m.at
  while m.live[i + 1] and m.live[i + 1].key < at.key do
    m.live[i] = m.live[i + 1]
    i = i + 1
  end
  m.live[i] = at
end
-- The best task of the classes, where it goes before this number of a task without a rank: its id and number.
function classes.first(q, m, number)
  local limit = number == math.huge and ':' or classes.PLAIN .. digits(number)
  while not m.full do
    local at = m.live[m.at]
    if not at or m.bound and at.key > m.bound then
      m.full = m.bound ~= nil and limit > m.bound
      return nil
    elseif at.key > limit then
      return nil
    elseif at.class then
      local lacking = at.counted and permits.take(q, at.class.resources, at.id)
      local id, seq = at.id, tonumber(at.seq)
      if lacking then
        waits(q, m, at, lacking)
        m.at = m.at + 1
      else
        m.gone[#m.gone + 1], at.taken = at.member, at.taken + 1
        if go_on(q, m, at) then
          sink(m, at)
        else
          m.at, at.empty = m.at + 1, true
        end
        return id, seq
      end
    elseif #m.touched == MOST_TOUCHED then
      m.full, q.spent = true, m.shut < MOST_TOUCHED -- the rest is left to the next step
    elseif not touch(q, m, at) then
      m.at = m.at + 1
    end
  end
end
-- Ends a claim: what it took is written. Answers whether another one may find what stood behind classes that wait now.
local MOST_SHUT = 256
function classes.taken(q, m)
  local out, into, shut = m.gone, {}, {}
  for i = 1, #m.touched do
    local at = m.touched[i]
    if at.class then note_tasks(q, at.class, -at.taken) end
    if not at.class then
      out[#out + 1] = at.head -- no class has this place
    elseif at.empty then
      end_class(q, at.class, out)
    elseif at.taken > 0 then
      set_head(q, at.class, at.K, at.seq, out, into)
    end
    if at.shut and at.class then shut[#shut + 1] = at.class end
  end
  change(q, out, into)
  set_gates(q, shut)
  permits.grant(q)
  of(q).shut = (of(q).shut or 0) + m.shut
  return m.full and m.shut > 0 and of(q).shut < MOST_SHUT
end
-- Classes that wait for permits of this name, given by their members, come up, those that wait for nothing else; answers how
-- many these are.
function classes.bring_up(q, name, rows)
  local names, out, into, opened = {}, {}, {}, 0
  for i = 1, #rows do names[i] = string.sub(rows[i], #name + 41) end
  read(q, names)
  for i = 1, #names do
    local class = of(q).classes[names[i]]
    if class and head_of(class) == rows[i] then
      set_gate(q, class, out, into)
      if class.gate == '' then opened = opened + 1 end
    else
      out[#out + 1] = rows[i] -- no class has this place
    end
  end
  change(q, out, into)
  q.ranked = true
  return opened
end
local function count(q) return call('ZLEXCOUNT', q.ranks, '[t', '(u') end
-- How many tasks with a rank a worker that serves these handlers may find; some may turn out to be others'.
function classes.claimable(q, served)
  return classes.open(q, MOST_TOUCHED, served).live[1] and math.max(1, count(q) - whole(q.facts.blocked)) or 0
end
-- Whether any class is open.
function classes.any_open(q) return call('ZRANGEBYLEX', q.ranks, '[o\0', '(o\1', 'LIMIT', 0, 1)[1] ~= nil end
-- The pool's sources that have the tag, or name the resource, follow, each by a command: a page from this one on. Answers the
-- last one where more may stand behind it, and how many these were. `data` is what the command says behind the source's key.
local SOURCE = '^([%w:.-]+)%z([%l]+:[%w.-]+)$'
local function move_sources(c, q, letter, of_what, from, data)
  local row = letter .. of_what .. '\0'
  local page = call('ZRANGEBYLEX', q.ranks, '(' .. row .. from, '(' .. letter .. of_what .. '\1', 'LIMIT', 0, classes.PAGE)
  for i = 1, #page do
    local name, key = string.match(#page[i] <= 512 and page[i] or '', SOURCE, #row + 1)
    if name then
      commands.once(c, 'place', name, key .. data, q.name)
    else
      call('ZREM', q.ranks, page[i])
    end
  end
  return #page == classes.PAGE and string.sub(page[#page], #row + 1) or nil, #page
end
-- What a tag is worth has changed: its classes, a page of them from the first one or from where the last call ended, get
-- their new places, then the pool's sources that have it, and the rest follows by a command. Answers how many
-- classes and sources were looked at.
function classes.move(c, q, tag, afresh)
  local row = 'i' .. tag .. '\0'
  local from = not afresh and call('HGET', q.classes, '>' .. tag)
  local source = from and string.match(from, '^%z(.*)$') -- all classes have moved
  local page = source and {}
    or call('ZRANGEBYLEX', q.ranks, from and '(' .. row .. from or '[' .. row, '(i' .. tag .. '\1', 'LIMIT', 0, classes.PAGE)
  local names, out, into, better = {}, {}, {}, {}
  for i = 1, #page do names[i] = string.sub(page[i], #row + 1) end
  read(q, names)
  for i = 1, #names do
    local class = of(q).classes[names[i]]
    if class then
      class.boosts, class.lent = classes.boost_of(q, class.tags), lent_of(q, class.groups)
      local P = place_of(class, class.K)
      if P ~= class.P then
        if class.gate == '' and P > class.P then permits.yield(q, class.resources) end
        if class.gate ~= '' and P < class.P then better[#better + 1] = class end
        set_head(q, class, class.K, class.seq, out, into)
      end
      of(q).dirty[class.name] = class
    else
      out[#out + 1] = page[i] -- no class has this tag
    end
  end
  change(q, out, into)
  set_gates(q, better)
  q.ranked, q.touched = true, true
  local last, beside = #page == classes.PAGE and names[#names] or nil, 0
  if not last then
    last, beside = move_sources(c, q, 's', tag, source or '', ' ' .. tag)
    last = last and '\0' .. last
  end
  if last then
    call('HSET', q.classes, '>' .. tag, last)
    commands.once(c, 'replace', tag, '', q.name)
  else
    call('HDEL', q.classes, '>' .. tag)
  end
  return #page + beside
end
-- A resource, or a pattern, is missing or there since now: its classes follow, then the pool's sources that name it, a page
-- of them as with `move`.
function classes.follow(c, q, resource, afresh)
  local row, cursor = 'r' .. resource .. '\0', '<' .. resource
  local from = not afresh and call('HGET', q.classes, cursor)
  local source = from and string.match(from, '^%z(.*)$') -- all classes have followed
  local page = source and {} or call('ZRANGEBYLEX', q.ranks, from and '(' .. row .. from or '[' .. row, '(r' .. resource .. '\1',
    'LIMIT', 0, classes.PAGE)
  local names, out, into = {}, {}, {}
  for i = 1, #page do names[i] = string.sub(page[i], #row + 1) end
  read(q, names)
  for i = 1, #names do
    local class = of(q).classes[names[i]]
    if class then set_gate(q, class, out, into, true) else out[#out + 1] = page[i] end -- no class has this resource
  end
  change(q, out, into)
  q.ranked, q.touched = true, true
  local last, beside = #page == classes.PAGE and names[#names] or nil, 0
  if not last then
    last, beside = move_sources(c, q, 'u', resource, source or '', '  ' .. resource)
    last = last and '\0' .. last
  end
  if last then
    call('HSET', q.classes, cursor, last)
    commands.once(c, 'regate', resource, '', q.name)
  else
    call('HDEL', q.classes, cursor)
  end
  return #page + beside
end
function classes.follow_later(c, q, resource)
  call('HDEL', q.classes, '<' .. resource)
  commands.once(c, 'regate', resource, '', q.name)
end
-- What a queued node waits for: the gate of its class, '' for none.
function classes.gate_of(q, n)
  local _, text = rank_of(n)
  local _, class = class_of(q, n.handler, text)
  return class and class.gate or ''
end
-- The same, by a command alone.
function classes.move_later(c, q, tag)
  call('HDEL', q.classes, '>' .. tag)
  commands.once(c, 'replace', tag, '', q.name)
end
-- Sets what a tag is worth. Call `move` or `move_later` for it.
function classes.worth(q, tag, by)
  local sum = whole(call('HGET', q.classes, '+' .. tag)) + by
  if sum == 0 then call('HDEL', q.classes, '+' .. tag) else call('HSET', q.classes, '+' .. tag, string.format('%.0f', sum)) end
  of(q).boosts[tag] = sum
end
-- The P of a task that comes.
function classes.place(q, n)
  if not n.rank then return classes.PLAIN end
  local K, text = rank_of(n)
  local class = parse('', '0\031999999999999999\31' .. K .. '\31' .. K .. '\31' .. digits(0) .. '\31' .. text)
  if not class then return classes.PLAIN end
  class.boosts, class.lent = classes.boost_of(q, class.tags), lent_of(q, class.groups)
  return place_of(class, K)
end
-- Where the pool's Tasks stand among its sources: by the first of them. Plans count as tasks without a rank do, or one that
-- nobody serves would lift all others.
local BEHIND_PLANS = 5e13 -- theirs is 0, and no boost leads so far
local function rerank(q, facts, plain, now)
  local head = call('ZRANGEBYLEX', q.ranks, '[o\0', '(o\1', 'LIMIT', 0, 1)[1]
  if head and whole(string.sub(head, 3, 17)) < BEHIND_PLANS then
    plain, head = true, call('ZRANGEBYLEX', q.ranks, '[o\0' .. digits(BEHIND_PLANS), '(o\1', 'LIMIT', 0, 1)[1]
  end
  local priority = plain and 0 or nil
  if head then
    local of_head = math.ceil((HALF - whole(string.sub(head, 3, 17)) + (aging.by(facts.ageing, now) or 0)) / 1000)
    priority = math.max(of_head, priority or -MOST_PRIORITY)
  end
  priority = math.max(-MOST_PRIORITY, math.min(priority or 0, MOST_PRIORITY))
  if priority == whole(facts.priority) then return end
  call('HSET', q.hash, 'priority', priority)
  local score = facts.ready == '1' and call('ZSCORE', q.ready, q.source)
  if score then call('ZADD', q.ready, 'XX', turn.of(q.ready, priority, math.fmod(tonumber(score), turn.BAND)), q.source) end
end
-- Writes what is known of the classes; answers how many tasks have a rank, and how many of them wait for resources. `plain`:
-- tasks without one wait.
function classes.close(q, facts, plain, now)
  local rows, gone = {}, {}
  for name, class in pairs(of(q).dirty) do
    if class then rows[#rows + 1], rows[#rows + 2] = 'c' .. name, record_of(class) else gone[#gone + 1] = 'c' .. name end
  end
  pages.each(rows, function(...) call('HSET', q.classes, ...) end)
  pages.each(gone, function(...) call('HDEL', q.classes, ...) end)
  of(q).dirty = {}
  local ranked = count(q)
  if (ranked > 0) ~= (facts.ranks == '1') then call('HSET', q.hash, 'ranks', ranked > 0 and 1 or 0) end
  rerank(q, facts, plain, now)
  local blocked = ranked > 0 and math.max(0, whole(facts.blocked) + gates.more(q)) or 0
  if blocked ~= whole(facts.blocked) then
    call('HSET', q.hash, 'delayed', blocked)
    facts.blocked = tostring(blocked)
  end
  gates.write(q, now)
  permits.write(q, facts, ranked)
  if of(q).opened then call('HINCRBY', q.hash, 'seq', 1) end -- as a task that came: who found nothing may find these
  return ranked, blocked
end
