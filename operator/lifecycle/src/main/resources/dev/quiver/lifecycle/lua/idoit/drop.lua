-- Removes a tree from the wire without a trace, whatever its state. Guarantee: a tombstone refuses its id for a while; idempotent.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS tombstone: refuses the id for a while
-- KEYS deadlines: tasks of Quiver to the ms at which they end
-- ARGV term: leader's term; empty of others
-- ARGV root: id of the root
-- ARGV tombstone_ms: how long the tombstone stays
-- ARGV last: the highest ordinal that create brought, for a tree that never began
-- RETURNS {OK} | {STALE_LEADER, term}
-- INCLUDE common/now
-- INCLUDE idoit/wire
if arg_term ~= '' then
-- INCLUDE common/leader
end
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
call('ZREM', key_deadlines, arg_root)
local root = read(arg_root)
local all = root and below(root) or {}
for ordinal = 1, root and 0 or tonumber(arg_last) do
  all[#all + 1] = read(arg_root .. '.' .. ordinal)
end
for i = 1, #all do
  leave(all[i])
  call('ZREM', wire('finished'), all[i].key)
  call('UNLINK', wire(all[i].key), wire('ichunks:' .. all[i].key))
end
return {OK}
