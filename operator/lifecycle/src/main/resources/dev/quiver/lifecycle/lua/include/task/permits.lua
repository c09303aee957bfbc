-- Permits: how many tasks may run with a resource at a time, or may start in a window of so many seconds. A claim takes one of
-- each of its names that has such a number, or none at all. The task's id holds them, and they are given back however it ends;
-- what starts in a window gives nothing back, and the first start begins the window. `ranks` has
--   p<name> NUL <id>                a task that holds a permit
--   k<id> NUL <name> NUL <token>    what a task holds; a pool's tokens grow with each grant
-- and the hash `classes`
--   t        the last token
--   v<name>  the end of a window, and how many have started in it
--   u<name>  tasks in open classes that count under this name, and how many of those are more than its free permits
-- The queue's field `held` is 1 while any task holds a permit; `limited` is how many open tasks lack one, so they want no worker.
-- MODULE permits
-- USES common/now common/decimal common/pages task/gates
permits.MOST_HOLDERS = 4 -- that are named
local NONE = {}
local LONGEST_ID = 100
local function whole(text) return text and #text <= 15 and tonumber(string.match(text, '^%d+$')) or 0 end
-- What a script knows of a queue's permits.
local function of(q)
  if not q.permits then
    q.permits = {known = {}, granting = {}, granted = {}, started = {}, wanted = {}, windows = {}, ends = {}, opened = {}, now = false, held = false}
  end
  return q.permits
end
-- What is used of a name that has permits, and what is said of it; nothing of others.
local function look(q, name)
  local said, p = gates.look(q, name), of(q)
  if not said.most then return nil end
  local at = p.known[name]
  if not at or at.said ~= said then
    at = {said = said, used = 0, till = 0}
    if said.seconds then
      local till, used = string.match(call('HGET', q.classes, 'v' .. name) or '', '^(%d+) (%d+)$')
      p.now = p.now or clock.now()
      if whole(till) > p.now and whole(till) <= p.now + 1000 * said.seconds then at.till, at.used = whole(till), whole(used) end
    else
      at.used = call('ZLEXCOUNT', q.ranks, '[p' .. name .. '\0', '(p' .. name .. '\1')
    end
    p.known[name] = at
  end
  return at, said
end
function permits.is_counted(q, name) return gates.look(q, name).most ~= nil end
-- How many are free, or nil for any number.
function permits.free(q, name)
  local at, said = look(q, name)
  if not at then return nil end
  if said.seconds and at.used >= said.most then of(q).ends[name] = at.till end
  return math.max(0, said.most - at.used)
end
-- Whether a task that names it has to wait.
function permits.lacks(q, name) return gates.is_missing(q, name) or permits.free(q, name) == 0 end
-- The first one of names, joined by \30, for which a task has to wait. Where there is none, '' and the first one that has
-- permits, or ''.
function permits.first_lacking(q, names)
  local counted = ''
  for name in string.gmatch(names, '[^\30]+') do
    if permits.lacks(q, name) then return name, '' end
    if counted == '' and permits.is_counted(q, name) then counted = name end
  end
  return '', counted
end
-- So many classes, or more, may come up for it: they compete for permits that are free, or that a class does not want any more.
local function want(q, name, count) of(q).wanted[name] = (of(q).wanted[name] or 0) + count end
-- The task takes a permit of each of its names that has any, see `grant`; where one lacks, it takes none, and that name is
-- the answer.
function permits.take(q, names, id)
  local p = of(q)
  for name in string.gmatch(names, '[^\30]+') do
    if permits.lacks(q, name) then return name end
  end
  for name in string.gmatch(names, '[^\30]+') do
    local at, said = look(q, name)
    if at then
      at.used = at.used + 1
      permits.opened(q, name, 0)
      if not said.seconds then
        p.granting[#p.granting + 1] = {id = id, name = name}
      else
        if at.till == 0 then
          at.till = p.now + 1000 * said.seconds
          p.ends[name] = at.till
          want(q, name, said.most) -- this moves the command away by which the end of the last window is told
        end
        p.windows[name] = at
        p.started[id] = p.started[id] or {}
        table.insert(p.started[id], name)
      end
    end
  end
end
-- Writes what was taken; each permit gets its token.
function permits.grant(q)
  local p, rows = q.permits, {}
  local count = p and #p.granting or 0
  if count == 0 then return end
  local token = call('HINCRBY', q.classes, 't', count) - count
  if token == 0 then -- the first one since the pool, or Redis, began anew: no store has seen a higher one
    token = clock.now()
    call('HINCRBY', q.classes, 't', token)
  end
  for i = 1, count do
    local of_task, at = p.granting[i], #rows
    local list, text = p.granted[of_task.id] or {}, decimal.of(token + i)
    p.granted[of_task.id] = list
    list[#list + 1] = {name = of_task.name, token = text}
    rows[at + 1], rows[at + 2] = 0, 'p' .. of_task.name .. '\0' .. of_task.id
    rows[at + 3], rows[at + 4] = 0, 'k' .. of_task.id .. '\0' .. of_task.name .. '\0' .. text
  end
  pages.each(rows, function(...) call('ZADD', q.ranks, ...) end)
  p.granting, p.held = {}, true
end
local function held_by(q, id)
  local rows, out = call('ZRANGEBYLEX', q.ranks, '[k' .. id .. '\0', '(k' .. id .. '\1', 'LIMIT', 0, gates.MOST_OF_TASK), {}
  for i = 1, #rows do
    local name, token = string.match(rows[i], '^[^%z]*%z([^%z]*)%z(%d+)$')
    if name and gates.is_name(name) and #token <= 15 then out[#out + 1] = {name = name, token = token, row = rows[i]} end
  end
  return out
end
-- The tokens of a task by the names, as JSON, or nothing where it holds none. `now`: those that this script granted.
function permits.tokens(q, id, now)
  local list, all = now and (q.permits and q.permits.granted[id] or {}) or held_by(q, id), {}
  for i = 1, #list do all[i] = '"' .. string.gsub(list[i].name, '["\\]', '\\%0') .. '":' .. list[i].token end
  return all[1] and '{' .. table.concat(all, ',') .. '}' or ''
end
-- The tasks hold nothing any more. One that this script took and nobody holds has not started in a window.
function permits.give_back(q, ids)
  local p, gone = of(q), {}
  for i = 1, #ids do
    for _, name in ipairs(p.started[ids[i]] or NONE) do
      local at = p.known[name]
      if at and at.used > 0 then
        at.used = at.used - 1
        p.windows[name] = at
        permits.opened(q, name, 0)
        want(q, name, 1)
      end
    end
    p.started[ids[i]] = nil
    for _, of_task in ipairs(held_by(q, ids[i])) do
      local name, at = of_task.name, p.known[of_task.name]
      gone[#gone + 1], gone[#gone + 2] = of_task.row, 'p' .. name .. '\0' .. ids[i]
      if at and not at.said.seconds then at.used = math.max(0, at.used - 1) end
      permits.opened(q, name, 0)
      want(q, name, 1)
    end
    p.granted[ids[i]] = nil
  end
  if #gone > 0 then p.held = true end
  pages.each(gone, function(...) call('ZREM', q.ranks, ...) end)
end
-- A class competes less well than before for what it names.
function permits.yield(q, names)
  for name in string.gmatch(names, '[^\30]+') do
    if permits.is_counted(q, name) then want(q, name, 1) end
  end
end
-- All free permits of it may bring classes up.
function permits.offer(q, name) of(q).wanted[name] = math.max(of(q).wanted[name] or 0, permits.free(q, name) or 0) end
-- Whether a task that waits for one of its names kept others from a free permit of another one.
function permits.kept_others(q, names, lacking)
  for name in string.gmatch(names, '[^\30]+') do
    if name ~= lacking and permits.is_counted(q, name) and not permits.lacks(q, name) then return true end
  end
  return false
end
-- How many classes may come up for which names, and when which windows end. What was told once is not told again.
function permits.wanted(q)
  local p, wanted = q.permits, NONE
  if p then wanted, p.wanted = p.wanted, {} end
  return wanted
end
function permits.ends(q)
  local p, ends = q.permits, NONE
  if p then ends, p.ends = p.ends, {} end
  return ends
end
-- So many more tasks of open classes count under a name, or fewer.
function permits.opened(q, name, by)
  if name ~= '' then of(q).opened[name] = (of(q).opened[name] or 0) + by end
end
-- A window is over: what it had counts no more.
function permits.end_window(q, name)
  local at = look(q, name)
  if at and at.said.seconds and at.till > 0 then of(q).ends[name] = at.till else call('HDEL', q.classes, 'v' .. name) end
  permits.opened(q, name, 0)
end
-- What is known of those of a name, as texts: `most`, `used`, the `seconds` of a window, and the ids of `holders`, joined by
-- blanks; each is '' where there is none. `held` is the number of those used. `none`: nothing is asked.
function permits.state(q, name, none)
  local at, said
  if not none then at, said = look(q, name) end
  if not at then return {most = '', used = '0', seconds = '', holders = '', held = 0} end
  local start, ids = 'p' .. name .. '\0', {}
  local rows = call('ZRANGEBYLEX', q.ranks, '[' .. start, '(p' .. name .. '\1', 'LIMIT', 0, permits.MOST_HOLDERS)
  for i = 1, #rows do ids[i] = string.gsub(string.sub(rows[i], #start + 1, #start + LONGEST_ID), ' ', '_') end
  return {most = decimal.of(said.most), used = decimal.of(at.used), seconds = said.seconds and decimal.of(said.seconds) or '',
    holders = table.concat(ids, ' '), held = at.used}
end
-- Names of which tasks hold permits, at most so many.
function permits.names(q, most)
  local names, at = {}, '[p'
  while #names < most do
    local name = string.match(call('ZRANGEBYLEX', q.ranks, at, '(q', 'LIMIT', 0, 1)[1] or '', '^p([^%z]*)%z')
    if not name or not gates.is_name(name) then break end
    if gates.is_of_complex(name) then -- whose turns are no news
      at = '(p' .. string.match(name, '^[^!]*!') .. '\255'
    else
      names[#names + 1], at = name, '(p' .. name .. '\1'
    end
  end
  return names
end
-- Writes what is known. `ranked`: how many tasks with a rank wait.
function permits.write(q, facts, ranked)
  local p, names, fields, limited = q.permits, {}, {}, whole(facts.limited)
  for name in pairs(p and p.opened or {}) do names[#names + 1], fields[#fields + 1] = name, 'u' .. name end
  for from = 1, #names, pages.ROWS do
    local upto, rows, gone = math.min(from + pages.ROWS - 1, #names), {}, {}
    local values = call('HMGET', q.classes, unpack(fields, from, upto))
    for i = from, upto do
      local open, more = string.match(values[i - from + 1] or '', '^(%d+) (%d+)$')
      local sum, free = math.max(0, whole(open) + p.opened[names[i]]), permits.free(q, names[i])
      local beyond = free and math.max(0, sum - free) or 0
      limited = limited + beyond - whole(more)
      if sum == 0 then
        if open then gone[#gone + 1] = fields[i] end
      elseif sum ~= whole(open) or beyond ~= whole(more) then
        rows[#rows + 1], rows[#rows + 2] = fields[i], decimal.of(sum) .. ' ' .. decimal.of(beyond)
      end
    end
    if #rows > 0 then call('HSET', q.classes, unpack(rows)) end
    if #gone > 0 then call('HDEL', q.classes, unpack(gone)) end
  end
  limited = ranked > 0 and math.max(0, limited) or 0
  if limited ~= whole(facts.limited) then
    call('HSET', q.hash, 'limited', decimal.of(limited))
    facts.limited = decimal.of(limited)
  end
  if not p then return end
  p.opened = {}
  for name, at in pairs(p.windows) do call('HSET', q.classes, 'v' .. name, decimal.of(at.till) .. ' ' .. decimal.of(at.used)) end
  p.windows = {}
  if p.held then
    local held = call('ZLEXCOUNT', q.ranks, '[k', '(l') > 0 and '1' or '0'
    if held ~= (facts.held or '0') then call('HSET', q.hash, 'held', held) end
    facts.held, p.held = held, false
  end
end
-- The pool has no resources any more. While tasks hold permits, tokens go on.
function permits.clear(q)
  if call('ZLEXCOUNT', q.ranks, '[k', '(l') == 0 then call('HDEL', q.classes, 't') end
end
