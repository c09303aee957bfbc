-- Begins the record of a tree's run, before the tree is created, or behind a schedule that has begun it. Guarantee: once
-- for a tree: one that began without a record, or was dropped, gets none.
-- FOR operator, worker
-- FLAGS
-- KEYS records: tree to the time at which its record began
-- KEYS roots: tree to facts of the whole
-- KEYS commands: commands on trees
-- KEYS tombstone: left by drop
-- KEYS meta: hash of the keyspace (term, history_bytes, history_most)
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV command: as read, of a schedule; empty before the tree is created
-- ARGV tree: its id
-- ARGV opening: its entry, behind one byte; empty where nobody has it any more, which ends the command and the record
-- ARGV named...: 0..1024; entries with the names of its nodes, each behind one byte
-- RETURNS {OK, written: 1 when this call wrote it} | {STALE_LEADER, term}
-- USES common/leader common/now history/record
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
if arg_command ~= '' then
  if call('ZREM', key_commands, arg_command) == 0 then return {OK, 0} end
else
  local known = call('HGET', key_roots, arg_tree)
  if known and known ~= '' or call('HEXISTS', key_records, arg_tree) == 1 or call('EXISTS', key_tombstone) == 1 then
    return {OK, 0}
  end
  record.is_read(c)
  call('HSET', key_records, arg_tree, now)
end
if arg_opening == '' then
  call('HDEL', key_records, arg_tree)
  return {OK, 0}
end
if record.level(c) == record.OFF then return {OK, 0} end
record.append(c, 'k', 'o', 'u', arg_tree, 't', now, 'b', record.body(arg_opening))
for i = arg_named, #ARGV do record.append(c, 'k', 'n', 'u', arg_tree, 't', now, 'b', record.body(ARGV[i])) end
return {OK, 1}
