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
-- USES common/leader common/now task/nodes task/roots task/flow task/changes task/undoing
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
local top = nodes.get(c, arg_tree)
local facts = top and top.parent == '' and roots.of(c, top)
if not facts or facts.keep ~= '' then return {GONE} end
local field = arg_tree .. nodes.UNDO
if call('HSTRLEN', key_body, field) > nodes.MOST_LEFT then
  return {TOO_LARGE, 'what would undo tree ' .. arg_tree .. ' has more than ' .. nodes.MOST_UNDO .. ' bytes'}
end
local left = call('HGET', key_body, field) or ''
if string.byte(left) == 61 then return {OK, left} end -- =
local function again()
  local counts = roots.counts(facts)
  return {AGAIN, counts[nodes.STATES[nodes.FINISHED]] + counts[nodes.STATES[nodes.FAILED]], counts[roots.NODES]}
end
local cancelled = facts.ended == ''
if not cancelled and undoing.may_run(c, top, facts) then return again() end
if cancelled then
  if undoing.has_begun(c, top, facts) then return again() end
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
