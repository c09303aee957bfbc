-- Commands on trees, which any process may run: what a script leaves because it passes its bounds, needs a pool that it did
-- not declare, or is to be done later. `changes` writes those of `add`.
-- KEYS commands: type, id, data, pool and number of each command, by the time from when it may run
-- KEYS delayed: sources with timers
-- KEYS meta: hash of the keyspace (commands)
-- MODULE commands
-- USES common/now common/decimal
commands.TIMERS = 'tasks:' -- their source among those with timers
function commands.add(c, kind, id, data, pool, due)
  c.commands[#c.commands + 1] = {due or c.now, kind .. '\t' .. id .. '\t' .. (data or '') .. '\t' .. (pool or '')}
end
-- The same of a command of which there is one, whoever asks for it: it has no number of its own.
function commands.once(c, kind, id, data, pool, due)
  c.commands[#c.commands + 1] = {due or c.now, kind .. '\t' .. id .. '\t' .. data .. '\t' .. pool, '0'}
end
-- A deadline's command is one of those, so that the end which needs it no more takes it away.
function commands.expire_at(c, id, data, due) commands.once(c, 'expire', id, data, '', due) end
function commands.expire_never(c, id, data) commands.withdraw(c, 'expire', id, data, '') end
-- Takes back a command of `once`.
function commands.withdraw(c, kind, id, data, pool)
  local member = kind .. '\t' .. id .. '\t' .. data .. '\t' .. pool
  for i = #c.commands, 1, -1 do
    if c.commands[i][2] == member then table.remove(c.commands, i) end
  end
  call('ZREM', c.key_commands, member .. '\t0')
end
commands.TIMERS = 'tasks:' -- their source among those with timers
-- Leaves one at once, in a script that has no trees.
function commands.leave(c, kind, id, data, pool, due)
  local number = decimal.of(call('HINCRBY', c.key_meta, 'commands', 1))
  call('ZADD', c.key_commands, due, kind .. '\t' .. id .. '\t' .. data .. '\t' .. pool .. '\t' .. number)
  call('ZADD', c.key_delayed, call('ZRANGE', c.key_commands, 0, 0, 'WITHSCORES')[2], commands.TIMERS)
end
