-- Names that one tree has at a time. With a byte 1 before the name a tree has it while its task waits. With a byte 2 it also
-- takes the place of one that waits. With a byte 3 it goes on in any case, and has the name where that is free.
-- KEYS names: n:<name> to the tree that has it, t:<tree> to its name and the byte before it, w:<tree> to the resource whose tree
--   it is, p:<tree> to the tree that had the name before and had not ended: its task may wait again
-- MODULE names
-- USES common/pages task/nodes task/commands task/roots task/flow
names.WHILE_WAITING, names.REPLACES, names.IF_FREE = '\1', '\2', '\3'
local MOST_NAME, MOST_OWNER, MOST_BEFORE = 1024, 256, 8
-- The mark and the name of a text; nothing where it is too long.
function names.read(text)
  if #text > MOST_NAME then return nil end
  return string.match(text, '^([\1\2\3]?)(.*)$')
end
-- Whether its task has not been given out: a plan of it may be.
function names.waits(n)
  return n and n.kind == nodes.LEAF and not nodes.is_in_doubt(n)
    and (n.state == nodes.WAITING or n.state == nodes.STARTABLE or n.state == nodes.RESTART or nodes.is_planning(n) and n.state == nodes.LOCKED)
end
local function goes_on(c, id)
  local facts = roots.of(c, {id = id})
  return facts and facts.ended == ''
end
-- The trees that have a name, the latest first: those before it have not ended when it came.
local function having(c, name)
  local all, id = {}, call('HGET', c.key_names, 'n:' .. name)
  while id and #all < MOST_BEFORE do all[#all + 1], id = id, call('HGET', c.key_names, 'p:' .. id) end
  return all
end
-- The tree that goes on under this name and keeps the tree `id` from it, and its root where that one takes its place; nothing
-- where the name is free. A task that ends with this call gives its own name free; one whose plan is made has it. A tree that
-- has the name to its end has it against all, whatever they ask for. One that is suspended while it waits may never run, so it
-- keeps nobody away that is content to wait.
function names.holder(c, id, only, name, bringer)
  for _, other in ipairs(name ~= '' and having(c, name) or {}) do
    if bringer and other == bringer.id then
      if bringer.goes_on then return other end
    elseif other ~= id and goes_on(c, other) then
      local mark = names.read(call('HGET', c.key_names, 't:' .. other) or '')
      if only == '' or mark == '' then return other end
      local top = nodes.get(c, other)
      if names.waits(top) and only == names.REPLACES then return other, top end
      if names.waits(top) and top.suspended ~= '1' then return other end
    end
  end
end
local function in_words(id, owner) -- a tree for people
  if #id > MOST_OWNER then return 'another task' end
  return owner and owner ~= '' and #owner <= MOST_OWNER and owner .. ' (' .. id .. ')' or 'task ' .. id
end
-- A tree that waits ends, since this one takes its place.
function names.replace(c, top, id, owner)
  commands.withdraw(c, 'activate', top.id, '', '')
  flow.finish(c, top, false, 'E' .. cjson.encode({reason = 'Replaced',
    message = 'a newer task of the same name took its place while it waited: ' .. in_words(id, owner)}))
end
function names.give(c, id, only, name, owner)
  local before = call('HGET', c.key_names, 'n:' .. name)
  call('HSET', c.key_names, 'n:' .. name, id, 't:' .. id, only .. name)
  if before and before ~= id and goes_on(c, before) then call('HSET', c.key_names, 'p:' .. id, before) end
  if owner and owner ~= '' and #owner <= MOST_OWNER then call('HSET', c.key_names, 'w:' .. id, owner) end
end
-- A tree of a resource, which is there, wants the name of this text. Answers nothing, or the error of a tree that does not
-- begin: another one has the name.
function names.take(c, id, text, owner)
  local only, name = names.read(text)
  if not only or name == '' then return nil end
  local holder, top = names.holder(c, id, only, name)
  if holder and only == names.IF_FREE then return nil end
  if holder and not top then
    return 'E' .. cjson.encode({reason = 'AlreadyQueued',
      message = in_words(holder, call('HGET', c.key_names, 'w:' .. holder)) .. (only == '' and ' goes on' or ' waits') .. ' under the name "' .. name .. '"'})
  end
  if top then names.replace(c, top, id, owner) end
  names.give(c, id, only, name, owner)
end
-- A tree ends before it begins, and the node at its end does not run.
function names.refuse(c, id, error)
  local top = nodes.get(c, id)
  local facts = top and roots.of(c, top)
  if not facts then return end
  local last = facts.finally ~= '' and nodes.get(c, nodes.relative(top, facts.finally))
  if last then
    flow.enter(c, last, nodes.FAILED)
    if last.kind ~= nodes.LEAF then commands.add(c, 'prune', last.id) end
  end
  flow.finish(c, top, false, error)
end
-- These trees go, or are dropped: their names are free.
function names.free(c, trees)
  for from = 1, #trees, pages.ROWS do
    local fields = {}
    for i = from, math.min(from + pages.ROWS - 1, #trees) do fields[#fields + 1] = 't:' .. trees[i] end
    local found = call('HMGET', c.key_names, unpack(fields))
    for i = 1, #found do
      local tree = trees[from + i - 1]
      local _, name = names.read(found[i] or '')
      if found[i] and name then
        local all, before = having(c, name), call('HGET', c.key_names, 'p:' .. tree)
        for k = 1, #all do
          local field = k == 1 and 'n:' .. name or 'p:' .. all[k - 1]
          if all[k] ~= tree then -- another one has it, too
          elseif before then call('HSET', c.key_names, field, before)
          else call('HDEL', c.key_names, field) end
        end
        call('HDEL', c.key_names, 't:' .. tree, 'w:' .. tree, 'p:' .. tree)
      end
    end
  end
end
