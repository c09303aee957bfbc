-- Names that one tree has at a time. With a byte 1 before the name a tree has it while its task waits. With a byte 2 it also
-- takes the place of one that waits. With a byte 3 it goes on in any case, and has the name where that is free.
-- KEYS names: n:<name> to the tree that has it, t:<tree> to its name, w:<tree> to the resource whose tree it is
-- MODULE names
-- USES common/pages task/nodes task/commands task/roots task/flow
names.WHILE_WAITING, names.REPLACES, names.IF_FREE = '\1', '\2', '\3'
local MOST_NAME, MOST_OWNER = 1024, 256
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
-- The tree that goes on under this name and keeps the tree `id` from it, and its root where that one takes its place; nothing
-- where the name is free. A task that ends with this call gives its own name free; one whose plan is made has it. One that
-- is suspended may never run, so it keeps nobody away that is content to wait.
function names.holder(c, id, only, name, bringer)
  local other = name ~= '' and call('HGET', c.key_names, 'n:' .. name)
  if not other or other == id then return nil end
  if bringer and other == bringer.id then return bringer.goes_on and other or nil end
  local of = roots.of(c, {id = other})
  if not of or of.ended ~= '' then return nil end
  if only == '' then return other end
  local top = nodes.get(c, other)
  if not names.waits(top) then return nil end
  if only == names.REPLACES then return other, top end
  return top.suspended ~= '1' and other or nil
end
local function in_words(id, owner) -- a tree for people
  if #id > MOST_OWNER then return 'another task' end
  return owner and owner ~= '' and #owner <= MOST_OWNER and owner .. ' (' .. id .. ')' or 'task ' .. id
end
-- A tree that waits ends, since this one takes its place.
function names.replace(c, top, id, owner)
  commands.withdraw(c, 'activate', top.id, '', '')
  flow.finish(c, top, false, 'E' .. cjson.encode({reason = 'Replaced',
    message = 'a newer task of the same name took its place before it began: ' .. in_words(id, owner)}))
end
function names.give(c, id, name, owner)
  call('HSET', c.key_names, 'n:' .. name, id, 't:' .. id, name)
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
  names.give(c, id, name, owner)
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
      if found[i] then
        call('HDEL', c.key_names, 't:' .. tree, 'w:' .. tree)
        if call('HGET', c.key_names, 'n:' .. found[i]) == tree then call('HDEL', c.key_names, 'n:' .. found[i]) end
      end
    end
  end
end
