-- Takes marks of change away. Guarantee: a set that changed after the given mark keeps its newer one.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS dirty: changed sets
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV marks...: 0..200000; (uid, change) pairs
-- RETURNS {OK, removed: marks} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
local removed = 0
for i = arg_marks, #ARGV - 1, 2 do
  if tonumber(call('ZSCORE', key_dirty, ARGV[i]) or '-1') == tonumber(ARGV[i + 1]) then
    call('ZREM', key_dirty, ARGV[i])
    removed = removed + 1
  end
end
return {OK, removed}
