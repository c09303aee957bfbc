-- Creates a tree, in pieces; the last one brings the facts of the whole, and the tree begins. One whose name another tree has
-- is there all the same, and over. Guarantee: idempotent for its id, also after its end; refused under a tombstone; a tree
-- that is cut off before its last piece never begins.
-- FOR operator
-- FLAGS
-- KEYS tombstone: left by drop
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV tree: id of the tree
-- ARGV facts: of the whole, as kept; empty in all pieces but the last
-- ARGV delay: 0..100000000000000; ms until it begins
-- ARGV name: that no other tree has while it goes on, with what stands before it, see task/names; empty for none
-- ARGV owner: the resource whose tree it is, for people; empty without a name
-- ARGV rows...: 0..3000; id, record, what it executes
-- RETURNS {OK, begun: 1 when this call did it, commands...: that may run now} | {BURIED} | {STALE_LEADER, term}
-- USES common/leader common/now common/pages task/nodes task/commands task/roots task/names task/flow task/changes
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
if call('EXISTS', key_tombstone) == 1 then return {BURIED} end
local known = call('HGET', key_roots, arg_tree)
if known and known ~= '' then return {OK, 0} end
local rows, bodies = {}, {}
if (#ARGV - arg_rows + 1) % 3 ~= 0 then return redis.error_reply('ERR task/create: a node has three arguments') end
for i = arg_rows, #ARGV, 3 do
  if not nodes.parse(c, ARGV[i], ARGV[i + 1]) then
    return redis.error_reply('ERR task/create: node ' .. string.sub(ARGV[i], 1, 64) .. ' has no record that can be read')
  end
end
if arg_facts ~= '' and not roots.parse(c, arg_tree, arg_facts) then
  return redis.error_reply('ERR task/create: tree ' .. string.sub(arg_tree, 1, 64) .. ' has no facts that can be read')
end
c.roots[arg_tree] = nil
if not names.read(arg_name) then return redis.error_reply('ERR task/create: the name has ' .. #arg_name .. ' bytes') end
local at, ends = 0, 0
for i = arg_rows, #ARGV, 3 do
  local id, body = ARGV[i], ARGV[i + 2]
  rows[at + 1], rows[at + 2] = id, ARGV[i + 1]
  at = at + 2
  if body ~= '' then
    bodies[ends + 1], bodies[ends + 2] = id, body
    ends = ends + 2
  end
end
pages.each(rows, function(...) call('HSET', key_nodes, ...) end)
pages.each(bodies, function(...) call('HSET', key_body, ...) end)
call('HSET', key_roots, arg_tree, arg_facts)
if arg_facts == '' then return {OK, 0} end
local error = names.take(c, arg_tree, arg_name, arg_owner)
if error then
  names.refuse(c, arg_tree, error)
elseif arg_delay == '0' then
  flow.activate(c, arg_tree)
else
  commands.once(c, 'activate', arg_tree, '', '', now + arg_delay)
end
local out, soon = {OK, 1}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
