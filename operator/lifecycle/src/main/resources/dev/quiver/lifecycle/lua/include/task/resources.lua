-- Closes and opens the resources of a pool: its Tasks that name one wait while it is missing. An owner takes back only what it
-- closed itself. Classes follow, a page of them in the same call and the others by the command `regate`; a closing with an
-- end is over by the command `reopen`.
-- MODULE resources
-- USES task/nodes task/gates task/permits task/classes task/commands
-- Owners: the WorkerPool, tasks that came upon what is missing, and the operator's probes.
resources.SPEC, resources.TASKS, resources.PROBE = 'spec', 'tasks', 'probe'
local LONGEST_MS = 86400000
-- The owner closes it for so many ms, or until it opens it. Answers whether it was open to that owner; nil where it has too
-- many closers.
function resources.close(c, q, name, owner, ms)
  local till = ms and c.now + ms or 0
  local closed = gates.close(q, name, owner, c.now, till)
  if closed == nil then return nil end
  if till > 0 then commands.once(c, 'reopen', name, owner, q.name, till) else commands.withdraw(c, 'reopen', name, owner, q.name) end
  if closed then classes.follow(c, q, name, true) end
  return closed
end
-- The owner opens what it closed; answers whether it had.
function resources.open(c, q, name, owner)
  local opened = gates.open(q, name, owner)
  if opened then
    commands.withdraw(c, 'reopen', name, owner, q.name)
    classes.follow(c, q, name, true)
  end
  return opened
end
-- It is open whoever closed it; answers whether it was not.
local function withdraw_ends(c, q, name, closers)
  for owner in pairs(gates.closers(closers)) do commands.withdraw(c, 'reopen', name, owner, q.name) end
end
function resources.open_all(c, q, name)
  withdraw_ends(c, q, name, call('HGET', q.classes, '!' .. name))
  local opened = gates.open_all(q, name, c.now)
  if opened then classes.follow(c, q, name, true) end
  return opened
end
-- The command of a closing that ends: another one of the same owner may have come since.
function resources.expire(c, q, name, owner)
  local till = gates.till(q, name, owner)
  if not till or till == 0 then return end
  if till > c.now then return commands.once(c, 'reopen', name, owner, q.name, till) end
  resources.open(c, q, name, owner)
end
-- A task came upon something that is missing for so many ms: it is closed for all, and what another task said of a later end
-- stays. Answers whether the task waits for it in the queue then; one that does not name it has to wait by itself.
function resources.stops(c, q, n, name, ms)
  if not gates.is_name(name) or not gates.has_room(q, name) then return false end
  local lasts, till = math.max(1, math.min(ms, LONGEST_MS)), gates.till(q, name, resources.TASKS)
  if not (till and (till == 0 or till >= c.now + lasts)) and resources.close(c, q, name, resources.TASKS, lasts) == nil then
    return false
  end
  for own in string.gmatch(nodes.needs(n), '[^\30]+') do
    if own == name or gates.pattern(own) == name then return true end
  end
  return false
end
-- What probes found: each name, and whether it is there. Answers the names that were not told: those that the pool does not
-- declare, as nobody would open them again, and those with too many closers.
function resources.probed(c, q, verdicts)
  local untold, left = {}, classes.PAGE
  for _, verdict in ipairs(verdicts) do
    local name, changed = verdict.name, false
    if call('HEXISTS', q.classes, '=' .. name) == 0 then
      untold[#untold + 1] = name
    elseif verdict.there then
      changed = gates.open(q, name, resources.PROBE)
    else
      changed = gates.close(q, name, resources.PROBE, c.now, 0)
      if changed == nil then untold[#untold + 1] = name end
    end
    if changed and left > 0 then
      left = left - classes.follow(c, q, name, true)
    elseif changed then
      classes.follow_later(c, q, name)
    end
  end
  return untold
end
-- What the specification says: names to o or x with their permits, and aliases to the names in their place, joined by \30. What
-- probes closed is open where they look no more: `probed` has the names that they look after. Answers how many names changed.
function resources.declare(c, q, said, aliases, probed)
  local lists, changed = call('HMGET', q.classes, '=', 'a'), {}
  local function names_of(list)
    local out = {}
    for name in string.gmatch(#(list or '') <= 16384 and list or '', '[^\30]+') do out[#out + 1] = name end
    return out
  end
  for _, name in ipairs(names_of(lists[1])) do
    local opened = not said[name] and gates.open(q, name, resources.PROBE)
    if not said[name] and gates.declare(q, name, nil, c.now) or opened then changed[#changed + 1] = name end
  end
  local names = {}
  for name, letter in pairs(said) do
    names[#names + 1] = name
    local opened = not probed[name] and gates.open(q, name, resources.PROBE)
    if gates.declare(q, name, letter, c.now) or opened then changed[#changed + 1] = name end
  end
  local others = {}
  for _, name in ipairs(names_of(lists[2])) do
    if not aliases[name] then
      call('HDEL', q.classes, 'a' .. name)
      changed[#changed + 1] = name -- sources that named it are placed anew
    end
  end
  for name, list in pairs(aliases) do
    others[#others + 1] = name
    if call('HGET', q.classes, 'a' .. name) ~= list then
      call('HSET', q.classes, 'a' .. name, list)
      changed[#changed + 1] = name
    end
  end
  table.sort(names)
  table.sort(others)
  for field, list in pairs({['='] = names, a = others}) do
    if list[1] then call('HSET', q.classes, field, table.concat(list, '\30')) else call('HDEL', q.classes, field) end
  end
  table.sort(changed)
  local left = classes.PAGE
  for i = 1, #changed do
    if left > 0 then left = left - classes.follow(c, q, changed[i], true) else classes.follow_later(c, q, changed[i]) end
  end
  return #changed
end
-- Takes back what owners closed and what the specification said, at most a page of names; answers how many.
local MOST_CLEARED = 256
function resources.clear(c, q)
  local cleared = resources.declare(c, q, {}, {}, {})
  local page = call('ZRANGEBYLEX', q.ranks, '[d', '(e', 'LIMIT', 0, MOST_CLEARED)
  for i = 1, #page do
    local name = string.sub(page[i], 2)
    withdraw_ends(c, q, name, call('HGET', q.classes, '!' .. name))
    call('HDEL', q.classes, '!' .. name, '=' .. name) -- also what no list names
    gates.note(q, name)
    classes.follow_later(c, q, name)
  end
  gates.forget(q)
  permits.clear(q)
  return cleared + #page
end
