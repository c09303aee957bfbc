-- Names tasks of a source for the record. Guarantee: only of a source that is recorded, and as far as there is room; the
-- reader keeps the first names of a task, so a repeat changes nothing.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term, history_bytes, history_most)
-- KEYS source: hash of the source
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: its name in the pool's order
-- ARGV names: entry with the names, behind one byte
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader common/now history/record
local stale = leader.refusal(c)
if stale then return stale end
if call('HSTRLEN', key_source, 'recorded') > 0 and record.level(c) < record.FULL then
  record.append(c, 'k', 'n', 'u', arg_source, 't', now, 'b', record.body(arg_names))
end
return {OK}
