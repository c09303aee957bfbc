-- Ends a tree without a trace: its root and the node that runs at its end are over, all below goes by commands.
-- Guarantee: a tombstone refuses its id for a while; idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS tombstone: refuses the id for a while
-- KEYS records: trees whose runs are recorded
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV tree: id of the tree
-- ARGV tombstone_ms: 1..100000000000000; how long the tombstone stays
-- ARGV last: 0..100000; the highest ordinal that create brought, for a tree that never began
-- RETURNS {OK, commands...: that may run now} | {GONE} | {STALE_LEADER, term}
-- USES common/leader common/now common/pages task/nodes task/commands task/roots task/waits task/names task/flow task/changes
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
if call('HEXISTS', key_records, arg_tree) == 1 then commands.add(c, 'recorded', arg_tree) end
if call('HGET', key_roots, arg_tree) == '' then
  local ids = {arg_tree}
  for i = 1, tonumber(arg_last) do ids[#ids + 1] = arg_tree .. '.' .. i end
  pages.each(ids, function(...)
    call('HDEL', key_nodes, ...)
    call('HDEL', key_body, ...)
  end)
  call('HDEL', key_roots, arg_tree)
end
local n = nodes.get(c, arg_tree)
local facts = n and roots.of(c, n)
if not facts then
  changes.write(c)
  return {GONE}
end
for _, at in ipairs({n, facts.finally ~= '' and nodes.get(c, nodes.relative(n, facts.finally)) or nil}) do
  if not nodes.is_over(at) then flow.leave_doubt(c, at) end
  flow.unqueue(c, at)
  if not nodes.is_over(at) then flow.enter(c, at, nodes.FAILED) end
end
if facts.expires ~= '' then roots.set_expiry(c, facts, n) end
names.free(c, {arg_tree}) -- at once: what is left of it may go much later
if facts.ended == '' then waits.ended(c, facts, n, true) end
commands.add(c, 'sweep', arg_tree)
local out, soon = {OK}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
