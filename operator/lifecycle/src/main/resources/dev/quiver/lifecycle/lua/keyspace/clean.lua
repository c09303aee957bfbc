-- Takes marks of change away. Guarantee: a set that changed after the given mark keeps its newer one.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS dirty: changed sets
-- ARGV term: leader's term
-- ARGV marks...: (uid, change) pairs
-- RETURNS {OK, marks removed} | {STALE_LEADER, term}
-- INCLUDE common/leader
local removed = 0
for i = arg_marks, #ARGV, 2 do
  if tonumber(call('ZSCORE', key_dirty, ARGV[i]) or '-1') == tonumber(ARGV[i + 1]) then
    call('ZREM', key_dirty, ARGV[i])
    removed = removed + 1
  end
end
return {OK, removed}
