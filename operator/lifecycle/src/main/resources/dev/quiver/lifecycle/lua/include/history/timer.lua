-- A command of Tasks, left by a script that has no trees. Uses now, whole.
-- KEYS commands: type, id, data, pool and number of each command, by the time from when it may run
-- KEYS delayed: sources with delayed tasks
-- KEYS meta: hash of the keyspace (commands, history_bytes, history_most)
local function command(kind, id, data, pool, due)
  local number = whole(call('HINCRBY', key_meta, 'commands', 1))
  call('ZADD', key_commands, due, kind .. '\t' .. id .. '\t' .. data .. '\t' .. pool .. '\t' .. number)
  call('ZADD', key_delayed, call('ZRANGE', key_commands, 0, 0, 'WITHSCORES')[2], 'tasks:')
end
