-- Takes what plans of a tree left that would undo it, for the one resource that undoes it. A tree whose work nobody has begun
-- is cancelled. Guarantee: idempotent; once somebody has taken it nobody else does, and it stays with the tree for repeats.
-- FOR operator
-- FLAGS
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV tree: id of the tree; one that stays until it is dropped
-- ARGV uid: of the resource that undoes it
-- ARGV name: of that resource
-- RETURNS {OK, left: as task/left has it, commands...: that may run now}
--   | {AGAIN, ended: nodes that have ended, count: of all} while it runs, or may | {GONE} | {TOO_LARGE, words} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/roots task/flow task/changes
local MOST_LOOKED, MOST_HEADER, PAGE = 1000, 256, 64
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
local top = nodes.get(c, arg_tree)
local facts = top and top.parent == '' and roots.of(c, top)
if not facts or facts.keep ~= '' then return {GONE} end
local field = arg_tree .. nodes.UNDO
if call('HSTRLEN', key_body, field) > nodes.MOST_UNDO + MOST_HEADER then
  return {TOO_LARGE, 'what would undo tree ' .. arg_tree .. ' has more than ' .. nodes.MOST_UNDO .. ' bytes'}
end
local left = call('HGET', key_body, field) or ''
if string.byte(left) == 61 then return {OK, left} end -- =
-- Whether a worker has had a part of it. A plan that was made does not count: what it changed is undone.
local function has_begun(n)
  if n.kind == nodes.LEAF then
    return n.state == nodes.LOCKED or nodes.is_over(n) or nodes.is_in_doubt(n)
      or not nodes.is_planning(n) and (n.failed ~= '0' and not n.waits or n.lost ~= '0') -- a plan's are among them: then it is waited for
  end
  return (n.kind == nodes.ITERATOR or n.kind == nodes.CHUNKS) and n.state ~= nodes.WAITING
end
local function begun()
  local count = tonumber(facts.next)
  if count > MOST_LOOKED or nodes.is_over(top) then return true end
  for from = 0, count - 1, PAGE do
    local ids = {}
    for i = from, math.min(from + PAGE, count) - 1 do ids[#ids + 1] = nodes.relative(top, i) end
    nodes.load(c, ids)
    for i = 1, #ids do
      local n = nodes.get(c, ids[i])
      if n and n.state ~= nodes.TEMPLATE and has_begun(n) then return true end
    end
  end
  return false
end
local function again()
  local counts = roots.counts(facts)
  return {AGAIN, counts[nodes.STATES[nodes.FINISHED]] + counts[nodes.STATES[nodes.FAILED]], counts[roots.NODES]}
end
local cancelled = facts.ended == ''
-- What failed or was cancelled may have nodes that workers are about to stop, also below a root that passed.
if not cancelled and (top.state == nodes.FAILED or top.kind ~= nodes.LEAF) and now < facts.ended + flow.STOPS_MS then return again() end
if cancelled then
  if begun() then return again() end
  flow.finish(c, top, false, 'E' .. cjson.encode({reason = 'Cancelled', message = 'it was undone by ' .. arg_name}))
  if facts.ended == '' then -- a node at the end follows, and may leave something, too
    changes.write(c)
    return again()
  end
end
left = '=' .. arg_uid .. ' ' .. arg_name .. ' ' .. (cancelled and 1 or 0) .. '\n' .. left
call('HSET', key_body, field, left)
nodes.keeps_undo(c, top)
c.changed_roots[facts.tree] = facts
local out, soon = {OK, left}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
