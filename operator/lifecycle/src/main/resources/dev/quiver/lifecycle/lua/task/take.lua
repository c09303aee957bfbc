-- Takes what plans of a tree left that would undo it, for the one resource that undoes it. A tree whose work nobody has begun
-- is cancelled. Guarantee: idempotent; once somebody has taken it nobody else does, and it stays with the tree for repeats.
-- FOR operator
-- FLAGS
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV tree: id of the tree; one that stays until it is dropped
-- ARGV uid: of the resource that undoes it
-- ARGV name: of that resource
-- RETURNS {OK, left: as task/left has it, commands...: that may run now}
--   | {AGAIN, ended: nodes that have ended, count: of all} while it runs | {GONE} | {TOO_LARGE, words} | {STALE_LEADER, term}
-- USES common/leader common/now common/decimal task/nodes task/roots task/flow task/changes
local MOST_LOOKED, MOST_HEADER = 1000, 256
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
  if n.kind == nodes.LEAF then return n.state == nodes.LOCKED or nodes.is_over(n) or nodes.is_in_doubt(n) end
  if n.kind == nodes.ITERATOR then return n.state ~= nodes.WAITING and (n.step ~= nodes.ASKED or n.created ~= '0') end
  return n.kind == nodes.CHUNKS and n.state ~= nodes.WAITING
end
local function begun()
  local ids, count, first = {arg_tree}, tonumber(facts.next), nodes.is_over(top)
  for i = 1, math.min(count, MOST_LOOKED) - 1 do ids[#ids + 1] = arg_tree .. '.' .. i end
  nodes.load(c, ids)
  for i = 1, #ids do
    local n = nodes.get(c, ids[i])
    first = first or n and n.state ~= nodes.TEMPLATE and has_begun(n)
  end
  return first or count > MOST_LOOKED
end
local cancelled = facts.ended == ''
if cancelled then
  if begun() then
    local counts = roots.counts(facts)
    return {AGAIN, counts[nodes.STATES[nodes.FINISHED]] + counts[nodes.STATES[nodes.FAILED]], counts[roots.NODES]}
  end
  flow.finish(c, top, false, 'E' .. cjson.encode({reason = 'Cancelled', message = 'it was undone by ' .. arg_name}))
end
left = '=' .. arg_uid .. ' ' .. arg_name .. ' ' .. (cancelled and 1 or 0) .. '\n' .. left
call('HSET', key_body, field, left)
nodes.keeps_undo(c, top)
c.changed_roots[facts.tree] = facts
local out, soon = {OK, left}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
