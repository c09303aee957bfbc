-- Reports the end of a source that stands in a tree to its node, as a command that anybody may run.
-- MODULE notices
-- USES common/now
-- KEYS commands: type, id, data, pool and number of each command on trees, by the time from when it may run
-- error: a table, nil for a source that ended well. kept: results that it has; tasks, combine: their numbers follow from
-- these. Answers the command.
function notices.tell(c, node, next_pool, error, kept, tasks, combine)
  local data = error and cjson.encode(error) or string.format('%.0f %.0f %.0f', kept, tasks, combine)
  local member = (error and 'error' or 'result') .. '\t' .. node .. '\t' .. data .. '\t' .. next_pool .. '\t'
    .. string.format('%.0f', call('HINCRBY', c.key_meta, 'commands', 1))
  call('ZADD', c.key_commands, c.now, member)
  call('ZADD', c.key_delayed, call('ZRANGE', c.key_commands, 0, 0, 'WITHSCORES')[2], 'tasks:')
  return member
end
