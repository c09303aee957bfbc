-- Writes a part of the order of a TaskSet that is about to be opened. Guarantee: from its beginning on it replaces what was
-- there; a repeat writes the same; a set that was opened keeps its own; refused under a tombstone and to a stale leader.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS sets: uids that have keys, so that the sweep finds an order whose set never came
-- KEYS tombstone: left by drop
-- KEYS source: hash of the TaskSet
-- KEYS order: of the tasks that are given out
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: uid of the TaskSet
-- ARGV offset: 0..3145728; bytes before this part
-- ARGV part: bytes, behind one byte
-- RETURNS {OK, known: bytes} | {GAP, known: bytes} | {CLOSED} | {BURIED} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
if call('EXISTS', key_tombstone) == 1 then return {BURIED} end
if call('HEXISTS', key_source, 'count') == 1 then return {CLOSED} end
local offset = tonumber(arg_offset)
if offset == 0 then call('UNLINK', key_order) end
local known = call('STRLEN', key_order)
if known < offset then return {GAP, known} end
call('SADD', key_sets, arg_source)
call('PERSIST', key_meta) -- as retire may have left it
return {OK, call('SETRANGE', key_order, offset, string.sub(arg_part, 2))}
