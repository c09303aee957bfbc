-- Records which numbers the children of a forEach have, so that a reader can name them. Guarantee: once, with the command
-- that asks for it, and as far as there is room.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS commands: commands on trees
-- KEYS meta: hash of the keyspace (history_bytes, history_most)
-- ARGV command: as read
-- ARGV tree: its id
-- ARGV range: the words of the entry
-- RETURNS {OK, taken: 1 when this call took the command}
-- USES common/now history/record
if call('ZREM', key_commands, arg_command) == 0 then return {OK, 0} end
if record.level(c) < record.FULL then record.append(c, 'k', 'r', 'u', arg_tree, 't', now, 'i', arg_range) end
return {OK, 1}
