-- Gives nodes of a tree other ranks. Guarantee: idempotent; what waits moves at once and keeps its number, what runs goes on; a
-- node that has ended, is not there, or has a pool that is not declared stays as it is. Copies of templates follow by commands,
-- which are left in the call that changes the template.
-- FOR operator
-- FLAGS
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV tree: id of the tree
-- ARGV rows...: 0..768; of each node its id, its rank or nothing, and of one of a template the forEach that makes copies of it
-- RETURNS {OK, changed: nodes, commands...: that may run now} | {GONE} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/queue task/commands task/roots task/flow task/changes task/classes task/ranks
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
if not roots.of(c, {id = arg_tree, parent = ''}) then return {GONE} end
if (#ARGV - arg_rows + 1) % 3 ~= 0 then return redis.error_reply('ERR task/rank: a node has three arguments') end
local ids, changed, all = {}, 0, ranks.open()
for i = arg_rows, #ARGV, 3 do
  if nodes.tree(ARGV[i]) ~= arg_tree or ARGV[i + 1] ~= '' and not nodes.is_rank(ARGV[i + 1]) then
    return redis.error_reply('ERR task/rank: node ' .. string.sub(ARGV[i], 1, 64) .. ' or its rank makes no sense')
  end
  ids[#ids + 1] = ARGV[i]
end
nodes.load(c, ids)
for i = arg_rows, #ARGV, 3 do
  local n, maker = nodes.get(c, ARGV[i]), ARGV[i + 2]
  if n and ranks.note(c, all, n, ARGV[i + 1]) then
    changed = changed + 1
    if maker ~= '' then ranks.follow(c, all, maker, n.pool) end
  end
end
ranks.move(c, all)
local out, soon = {OK, changed}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
