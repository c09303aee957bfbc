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
-- RETURNS {OK, commands that may run now...} | {GONE} | {STALE_LEADER, term}
-- INCLUDE common/now
-- USES worker/ready
-- USES task/queue
-- INCLUDE task/records
-- INCLUDE task/tree
if arg_term ~= '' then
-- INCLUDE common/leader
end
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
if call('HEXISTS', key_records, arg_tree) == 1 then command('recorded', arg_tree) end
if call('HGET', key_roots, arg_tree) == '' then
  local ids = {arg_tree}
  for i = 1, tonumber(arg_last) do ids[#ids + 1] = arg_tree .. '.' .. i end
  queue.each_page(ids, function(...)
    call('HDEL', key_nodes, ...)
    call('HDEL', key_body, ...)
  end)
  call('HDEL', key_roots, arg_tree)
end
local n = node(arg_tree)
local facts = n and root(n)
if not facts then
  write_back()
  return {GONE}
end
for _, at in ipairs({n, facts.finally ~= '' and node(relative(n, facts.finally)) or nil}) do
  unqueue(at)
  if not over(at) then enter(at, FAILED) end
end
if facts.expires ~= '' then set_expiry(facts, n) end
command('sweep', arg_tree)
local out, soon = {OK}, write_back()
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
