-- Removes a tree from the wire without a trace, whatever its state. Guarantee: a tombstone refuses its id for a while;
-- idempotent.
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
-- USES common/leader idoit/wire common/now
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
idoit.open(c)
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
call('ZREM', key_deadlines, arg_root)
local root = idoit.read(c, arg_root)
local all, from = {}, 1
if root then all, from = idoit.below(c, root) end
for ordinal = 1, root and 0 or tonumber(arg_last) do
  all[#all + 1] = idoit.read(c, arg_root .. '.' .. ordinal)
end
for i = 1, #all do
  if idoit.unseen(all, i, from) then -- it ends by a command, and goes as any task that has ended
    idoit.tell(c, all[i], 'error', '{"error":' .. idoit.CANCELED .. '}')
  else
    idoit.leave(c, all[i])
    call('ZREM', idoit.key(c, 'finished'), all[i].key)
    call('UNLINK', idoit.key(c, all[i].key), idoit.key(c, 'ichunks:' .. all[i].key))
  end
end
return {OK}
