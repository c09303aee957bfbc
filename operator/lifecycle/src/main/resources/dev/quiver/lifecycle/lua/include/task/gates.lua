-- Resources that Tasks name, and which of them are missing. A name is missing while its pool does not declare it, declares it
-- as missing, or anybody has closed it or its pattern. The pattern has a * behind the first ! or : of the name, and counts as
-- declared where the name itself is not. A name that begins with complex! is there, with one permit, whatever the specification
-- says of it: the plans and markers of a complex task take turns by it. Programs may close it. In the hash `classes`:
--   =<name>  o or x, since when it is so, and what the pool's specification said of it: a letter, how many permits each of
--            its names has, or nothing, and / with the seconds in which so many may start, see task/permits; and c where
--            what runs with it is stopped when it goes
--   !<name>  its closers, joined by \30: owner, from when, until when or nothing, joined by \31
--   g<name>  how many tasks wait behind it, and since when any does
--   a<name>  names that stand for it, joined by \30; the fields = and a list those of the specification
-- `ranks` has d<name> for each name that is declared or closed, and w<few> NUL <name> for each that tasks wait for, those
-- first that most wait for: <few> is 60 less the bits of that number.
-- MODULE gates
-- USES common/decimal
gates.MOST_OF_TASK, gates.MOST_CLOSERS, gates.MOST_NAMES = 8, 16, 10000
gates.MOST_PERMITS, gates.LONGEST_SECONDS = 10000, 86400
local LONGEST, MOST_CLOSERS_BYTES, MOST_ALIAS = 128, 4096, 1100
local LAST = 253402300799999 -- ms: no time that is shown has five digits of years
function gates.is_name(text) return #text >= 1 and #text <= LONGEST and not string.find(text, '[^!-~]') end
-- Whether these are names of one task, joined by \30, or none; and `among` one of them where it is not ''.
function gates.are_names(list, among)
  local count, found = 0, (among or '') == ''
  if list == '' then return found end
  for name in string.gmatch(list .. '\30', '([^\30]*)\30') do
    count, found = count + 1, found or name == among
    if count > gates.MOST_OF_TASK or not gates.is_name(name) then return false end
  end
  return found
end
-- The pattern that a name belongs to, or nil.
function gates.pattern(name)
  local head = string.match(name, '^([^!:]+[!:])')
  return head and head .. '*' ~= name and head .. '*' or nil
end
local function whole(text) return text and #text <= 15 and tonumber(string.match(text, '^%d+$')) or 0 end
local function time(text) return math.min(whole(text), LAST) end
-- All patterns that aliases may have for a name: with a * behind any of its ! and :, the longest first.
function gates.patterns(name)
  local all = {}
  for at = #name, 2, -1 do
    if string.find(string.sub(name, at, at), '[!:]') then all[#all + 1] = string.sub(name, 1, at) .. '*' end
  end
  return all
end
-- What a script knows of a queue's resources.
local function of(q)
  if not q.gates then q.gates = {known = {}, behind = {}, aliases = {}, total = 0} end
  return q.gates
end
-- The closers of a name: owner to from and till, which is 0 where it stays.
function gates.closers(text)
  local all, count = {}, 0
  for owner, from, till in string.gmatch(#(text or '') <= MOST_CLOSERS_BYTES and text or '', '([^\30\31]+)\31(%d+)\31(%d*)') do
    if count < gates.MOST_CLOSERS and gates.is_name(owner) then
      all[owner], count = {from = time(from), till = time(till)}, count + 1
    end
  end
  return all, count
end
local COMPLEX, OF_COMPLEX = 'complex!', 'o 0 o1'
function gates.is_of_complex(name) return string.sub(name, 1, #COMPLEX) == COMPLEX end
-- What counts of what is said of a name and of its pattern. A name that a program opened for all although its pattern is
-- missing has @ and since when the pattern was: with another word on the pattern that is over.
local function counts(own, of_pattern, name)
  if gates.is_of_complex(name) then return OF_COMPLEX end
  local since = own and string.match(#own <= 64 and own or '', '@(%d+)$')
  if not since then return own or of_pattern or 'x' end
  local from, word = string.match(#(of_pattern or '') <= 64 and of_pattern or '', '^[ox] (%d+) ([ox]%d*/?%d*c?)$')
  return from == since and 'o ' .. from .. ' ' .. word or of_pattern or 'x'
end
-- What is said of a name: whether it is `shut`, how many permits it has at `most`, or nil, the `seconds` in which so many
-- may start, or nil, and whether it `cancels` what runs when it goes. What was asked once stays so in a script, until `forget`.
function gates.look(q, name)
  local known = of(q).known
  if not known[name] then
    local pattern = gates.pattern(name) or name
    local f = call('HMGET', q.classes, '=' .. name, '!' .. name, '=' .. pattern, '!' .. pattern)
    local said = counts(f[1], f[3], name)
    local most, seconds, cancels = string.match(#said <= 64 and said or '', ' %a(%d*)/?(%d*)(c?)$')
    known[name] = {shut = string.byte(said) ~= 111 or (f[2] or f[4]) and true or false, cancels = cancels == 'c'} -- 111 is o
    if whole(most) > 0 then
      known[name].most = math.min(whole(most), gates.MOST_PERMITS)
      known[name].seconds = whole(seconds) > 0 and math.min(whole(seconds), gates.LONGEST_SECONDS) or nil
    end
  end
  return known[name]
end
function gates.is_missing(q, name) return gates.look(q, name).shut end
-- Whether a task that runs and names these, joined by \30, is to be stopped.
function gates.cancel(q, names)
  for name in string.gmatch(names, '[^\30]+') do
    local said = gates.look(q, name)
    if said.cancels and said.shut then return true end
  end
  return false
end
function gates.forget(q) of(q).known = {} end
-- The first one of names, joined by \30, for which a source of numbered tasks waits, or '': it is missing, or it has permits,
-- which only Tasks can hold.
function gates.first_of_source(q, names)
  for name in string.gmatch(names, '[^\30]+') do
    if gates.is_missing(q, name) or gates.look(q, name).most then return name end
  end
  return ''
end
-- So many more tasks wait behind a gate, or fewer; '' is none.
function gates.behind(q, gate, by)
  if gate == '' or by == 0 then return end
  local g = of(q)
  g.behind[gate], g.total = (g.behind[gate] or 0) + by, g.total + by
end
-- By how many the blocked tasks are more than when the script came.
function gates.more(q) return q.gates and q.gates.total or 0 end
-- The name is found exactly while it is declared or closed.
function gates.note(q, name)
  local f = call('HMGET', q.classes, '=' .. name, '!' .. name)
  if f[1] or f[2] then call('ZADD', q.ranks, 0, 'd' .. name) else call('ZREM', q.ranks, 'd' .. name) end
end
function gates.count_names(q) return call('ZLEXCOUNT', q.ranks, '[d', '(e') end
-- Whether the pool can know this name, too.
function gates.has_room(q, name) return gates.count_names(q) < gates.MOST_NAMES or call('ZSCORE', q.ranks, 'd' .. name) end
-- The names that tasks wait for, those first that about most wait for, and then others that are declared or closed.
function gates.names(q, most)
  local names, seen = {}, {}
  for _, rows in ipairs({{'[w', '(x', '^w%d%d%z(.*)$'}, {'[d', '(e', '^d(.*)$'}}) do
    local page = call('ZRANGEBYLEX', q.ranks, rows[1], rows[2], 'LIMIT', 0, most)
    for i = 1, #page do
      local name = string.match(page[i], rows[3])
      if name and #names < most and not seen[name] and gates.is_name(name) then names[#names + 1], seen[name] = name, true end
    end
  end
  return names
end
local function waiting_row(gate, count)
  local _, bits = math.frexp(count)
  return count > 0 and string.format('w%02d', 60 - bits) .. '\0' .. gate or nil
end
-- Writes how many wait behind each gate.
function gates.write(q, now)
  if not q.gates then return end
  for gate, by in pairs(q.gates.behind) do
    if by ~= 0 then
      local count, since = string.match(call('HGET', q.classes, 'g' .. gate) or '', '^(%d+) (%d+)$')
      local sum = math.max(0, whole(count) + by)
      local row, before = waiting_row(gate, sum), waiting_row(gate, whole(count))
      if sum == 0 then
        call('HDEL', q.classes, 'g' .. gate)
      else
        call('HSET', q.classes, 'g' .. gate, decimal.of(sum) .. ' ' .. decimal.of(whole(since) > 0 and whole(since) or now))
      end
      if before and before ~= row then call('ZREM', q.ranks, before) end
      if row and before ~= row then call('ZADD', q.ranks, 0, row) end
    end
  end
  q.gates.behind, q.gates.total = {}, 0
end
-- What the specification says of a name: o or x with its permits, or nil where it says nothing any more. A name keeps the
-- state that others gave it as long as the specification says the same letter. Answers whether anything changed.
function gates.declare(q, name, said, now)
  local letter, since, was = string.match(call('HGET', q.classes, '=' .. name) or '', '^([ox]) (%d+) ([ox]%d*/?%d*c?)$')
  if said and said == was then return false end
  if not said then
    call('HDEL', q.classes, '=' .. name)
  elseif was and string.byte(was) == string.byte(said) then -- its permits alone are others
    call('HSET', q.classes, '=' .. name, letter .. ' ' .. since .. ' ' .. said)
  else
    call('HSET', q.classes, '=' .. name, string.sub(said, 1, 1) .. ' ' .. decimal.of(now) .. ' ' .. said)
  end
  gates.note(q, name)
  gates.forget(q)
  return true
end
local function write_closers(q, name, all)
  local rows = {}
  for owner, at in pairs(all) do
    rows[#rows + 1] = owner .. '\31' .. decimal.of(at.from) .. '\31' .. (at.till > 0 and decimal.of(at.till) or '')
  end
  table.sort(rows)
  if rows[1] then call('HSET', q.classes, '!' .. name, table.concat(rows, '\30')) else call('HDEL', q.classes, '!' .. name) end
  gates.note(q, name)
  gates.forget(q)
end
-- The owner closes it, till 0 or a time; answers whether it was open to that owner, or nil where it has too many closers.
function gates.close(q, name, owner, now, till)
  local all, count = gates.closers(call('HGET', q.classes, '!' .. name))
  local was = all[owner]
  if not was and count >= gates.MOST_CLOSERS then return nil end
  all[owner] = {from = was and was.from or now, till = till}
  write_closers(q, name, all)
  return not was
end
-- The owner takes its closing back; answers whether it had one.
function gates.open(q, name, owner)
  local all = gates.closers(call('HGET', q.classes, '!' .. name))
  if not all[owner] then return false end
  all[owner] = nil
  write_closers(q, name, all)
  return true
end
-- Whoever closed it, it is open from now on, also where the specification said that it, or its pattern, is missing; who
-- closed the pattern has it closed still. Answers whether it was not.
function gates.open_all(q, name, now)
  local pattern = gates.pattern(name) or name
  local said, closed, of_pattern = unpack(call('HMGET', q.classes, '=' .. name, '!' .. name, '=' .. pattern))
  local since = pattern ~= name and string.match(#(of_pattern or '') <= 64 and of_pattern or '', '^x (%d+) ')
  if since and string.byte(counts(said, of_pattern, name)) ~= 111 and (not said or string.find(said, '@', 1, true)) and gates.has_room(q, name) then
    call('HSET', q.classes, '=' .. name, 'o ' .. decimal.of(now) .. ' @' .. since)
  elseif said and not string.find(said, '@', 1, true) and string.byte(said) ~= 111 then
    call('HSET', q.classes, '=' .. name, 'o ' .. decimal.of(now) .. ' ' .. string.match(#said <= 64 and said or 'o', '%S*$'))
  elseif not closed then
    return false
  end
  call('HDEL', q.classes, '!' .. name)
  gates.note(q, name)
  gates.forget(q)
  return true
end
-- When the owner's closing ends, 0 for one that stays, or nil.
function gates.till(q, name, owner)
  local at = gates.closers(call('HGET', q.classes, '!' .. name))[owner]
  return at and at.till
end
-- The names in the place of one, or false: what the specification says of it, or of its longest pattern with a * behind any of
-- its ! and :. A * in them is what stands behind the pattern.
local function alias_of(q, name)
  local fields, rests = {'a' .. name}, {false}
  for _, pattern in ipairs(gates.patterns(name)) do
    fields[#fields + 1], rests[#rests + 1] = 'a' .. pattern, string.sub(name, #pattern)
  end
  local lists = call('HMGET', q.classes, unpack(fields))
  for k = 1, #fields do
    local list = lists[k] and #lists[k] <= MOST_ALIAS and lists[k]
    if list then return rests[k] and (string.gsub(list, '%*', (string.gsub(rests[k], '%%', '%%%%')))) or list end
  end
  return false
end
-- Names in the place of those that the specification has others for. Where they are too many for a task, the name stays, and is
-- missing.
function gates.resolve(q, names)
  local out, seen, whole_list = {}, {}, true
  local function add(name)
    if not seen[name] then out[#out + 1], seen[name] = name, true end
  end
  for name in string.gmatch(names, '[^\30]+') do
    local known = of(q).aliases
    if known[name] == nil then known[name] = not gates.is_of_complex(name) and alias_of(q, name) end
    if known[name] then
      for other in string.gmatch(known[name], '[^\30]+') do add(other) end
    else
      add(name)
    end
  end
  for i = 1, #out do whole_list = whole_list and gates.is_name(out[i]) end
  return whole_list and #out <= gates.MOST_OF_TASK and table.concat(out, '\30') or names
end
-- What is known of a name: whether it is missing, since when or 0, how many tasks wait, since when any does or 0, and who
-- closed it, or nothing where the specification does not declare it, or says that it is missing.
function gates.state(q, name)
  local pattern = gates.pattern(name) or name
  local f = call('HMGET', q.classes, '=' .. name, '!' .. name, '=' .. pattern, '!' .. pattern, 'g' .. name)
  local waiting, first = string.match(f[5] or '', '^(%d+) (%d+)$')
  local since, by = 0, ''
  local function earlier(at) since = (since == 0 or at < since) and at or since end
  local declared = (f[1] or f[3] or gates.is_of_complex(name)) and counts(f[1], f[3], name)
  local letter, from = string.match(declared or '', '^(%a) (%d+)')
  if letter == 'x' then earlier(time(from)) end
  for _, text in ipairs({f[2] or '', f[4] or ''}) do
    for owner, at in pairs(gates.closers(text)) do
      earlier(at.from)
      if by == '' or owner < by then by = owner end
    end
  end
  return {name = name, missing = gates.is_missing(q, name), since = since, waiting = whole(waiting), first = time(first), by = by,
    declared = declared and true or false}
end
