-- Removes a tree from the wire without a trace, whatever its state. Guarantee: a tombstone refuses its id for a while; idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS tombstone: refuses the id for a while
-- KEYS deadlines: tasks of Quiver to the ms at which they end
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV root: id of the root
-- ARGV tombstone_ms: 1..100000000000000; how long the tombstone stays
-- ARGV last: 0..100000; the highest ordinal that create brought, for a tree that never began
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader common/now
-- INCLUDE idoit/wire
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
call('ZREM', key_deadlines, arg_root)
local root = read(arg_root)
local all, from = {}, 1
if root then all, from = below(root) end
for ordinal = 1, root and 0 or tonumber(arg_last) do
  all[#all + 1] = read(arg_root .. '.' .. ordinal)
end
for i = 1, #all do
  if unseen(all, i, from) then -- it ends by a command, and goes as any task that has ended
    tell(all[i], 'error', '{"error":' .. CANCELED .. '}')
  else
    leave(all[i])
    call('ZREM', wire('finished'), all[i].key)
    call('UNLINK', wire(all[i].key), wire('ichunks:' .. all[i].key))
  end
end
return {OK}
