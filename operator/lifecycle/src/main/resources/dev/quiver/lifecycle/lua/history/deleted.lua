-- Tells the record that resources are deleted; the reader forgets those whose opening asked for that. Guarantee: a repeat
-- changes nothing for the reader. Written as long as anybody reads, also into a full stream: the record takes room, too.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term, history_bytes, history_most)
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV uids...: 0..10000; of their runs; of a schedule its own
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader common/now history/record
local stale = leader.refusal(c)
if stale then return stale end
if record.level(c) < record.OFF then
  for i = arg_uids, #ARGV do record.append(c, 'k', 'd', 'u', ARGV[i], 't', now) end
end
return {OK}
