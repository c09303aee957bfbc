-- Writes what a script has changed.
-- KEYS body: id to what the node executes
-- KEYS task_reports: trees that changed
-- KEYS meta: hash of the keyspace (changes, commands)
-- MODULE changes
-- USES common/now common/decimal common/pages task/nodes task/queue task/commands task/roots task/names
-- Writes everything; answers the commands that may run at once, 64 at most. The timer need not be set where the script
-- has touched no commands itself.
function changes.write(c, no_other_commands)
  queue.close(c) -- first: it numbers nodes
  local rows = c.changed_texts
  for id, n in pairs(c.changed_nodes) do
    local at = #rows
    rows[at + 1], rows[at + 2] = id, nodes.text(n)
  end
  pages.each(rows, function(...) call('HSET', c.key_nodes, ...) end)
  rows = {}
  for id, text in pairs(c.results) do
    local at = #rows
    rows[at + 1], rows[at + 2] = id, text
  end
  pages.each(rows, function(...) call('HSET', c.key_results, ...) end)
  rows = {}
  for tree, facts in pairs(c.changed_roots) do
    local at = #rows
    rows[at + 1], rows[at + 2] = tree, roots.text(facts)
    if facts.watched == '1' then
      call('ZADD', c.key_task_reports, call('HINCRBY', c.key_meta, 'changes', 1), tree)
    end
  end
  pages.each(rows, function(...) call('HSET', c.key_roots, ...) end)
  local trees = {}
  for i = 1, #c.gone do
    if not string.find(c.gone[i], '.', 1, true) then trees[#trees + 1] = c.gone[i] end
  end
  pages.each(c.gone, function(...)
    call('HDEL', c.key_nodes, ...)
    call('HDEL', c.key_body, ...)
    call('HDEL', c.key_results, ...)
  end)
  pages.each(trees, function(...)
    call('HDEL', c.key_roots, ...)
    call('ZREM', c.key_task_reports, ...)
  end)
  names.free(c, trees)
  local soon = {}
  if #c.commands > 0 then
    local number = call('HINCRBY', c.key_meta, 'commands', #c.commands) - #c.commands
    rows = {}
    for i = 1, #c.commands do
      local due, member = c.commands[i][1], c.commands[i][2] .. '\t' .. (c.commands[i][3] or decimal.of(number + i))
      rows[i * 2 - 1], rows[i * 2] = due, member
      if due <= c.now and #soon < 64 then soon[#soon + 1] = member end
    end
    pages.each(rows, function(...) call('ZADD', c.key_commands, ...) end)
  end
  if #c.commands == 0 and no_other_commands then return soon end
  local first = call('ZRANGE', c.key_commands, 0, 0, 'WITHSCORES')
  if first[2] then call('ZADD', c.key_delayed, first[2], commands.TIMERS) else call('ZREM', c.key_delayed, commands.TIMERS) end
  return soon
end
