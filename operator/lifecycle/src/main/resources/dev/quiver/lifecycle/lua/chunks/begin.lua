-- Begins the source of a node with chunks. Guarantee: once, with the command that asks for it; a node that has ended
-- meanwhile, also with an ancestor, begins nothing.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS delayed: sources with delayed tasks
-- KEYS meta: hash of the keyspace (changes, commands, history_bytes, history_most)
-- KEYS source: hash of the source
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- ARGV command: as read
-- ARGV node: id of the node
-- ARGV source: its name in the pool's order
-- ARGV pool: name of its pool
-- ARGV next_pool: the pool that goes on after it; empty for none
-- ARGV fault: why there are no chunks; empty for none
-- ARGV first: number of its first chunk within a recorded run; empty where nothing is recorded
-- ARGV fan_in: 0..1000000; results of one combine, 0 where nothing combines
-- ARGV fields...: 0..128; names and values of what its tasks share
-- RETURNS {OK, taken: 1 when this call took the command, next: a command that may run now or nothing}
-- USES ordinals/reports ordinals/readiness ordinals/notices common/now common/decimal task/nodes task/commands
-- USES history/record
nodes.open(c)
if (#ARGV - arg_fields + 1) % 2 ~= 0 then return redis.error_reply('ERR chunks/begin: a field has no value') end
if call('ZREM', key_commands, arg_command) == 0 then return {OK, 0, ''} end
local n, tree_node, next_pool = nodes.get(c, arg_node), arg_node, arg_next_pool
if not n or n.state ~= nodes.IDLE then return {OK, 1, ''} end
local lives, suspended = nodes.is_alive(c, n)
if not lives then return {OK, 1, ''} end
-- FIELDS source: status, source_closed numbers: count
if arg_fault ~= '' then return {OK, 1, notices.tell(c, tree_node, next_pool, {reason = 'InputInvalid', message = arg_fault})} end
if source.status ~= 'feeding' or source.source_closed ~= '1' then
  return {OK, 1, notices.tell(c, tree_node, next_pool, {reason = 'ChunksMissing', message = 'nothing has brought the chunks'})}
end
source.count = source.count or 0
local goes_on = source.count > 0
local first = not goes_on and 'succeeded' or suspended and 'suspended' or 'running'
call('HSET', key_source, 'status', first, 'reason', goes_on and '' or 'AllTasksSucceeded', 'message', '', 'pool', arg_pool,
  'node', tree_node, 'next_pool', next_pool, 'keeps', 1, 'max_failed', 0, 'max_workers', 0, 'deadline_at', 0, 'priority', (nodes.rank_parts(n.rank or '')),
  'virtual_time', 0, 'ready', 0, 'created_at', now, 'started_at', now, 'finished_at', goes_on and 0 or now,
  'progress_at', 0, 'fed', 1, 'cursor', 0, 'left', source.count, 'running', 0, 'delayed', 0, 'succeeded_count', 0,
  'failed_count', 0, 'lost_count', 0, 'trials', 0, 'run_ms', 0, 'passed_ms', 0, 'ended_samples', 0, 'bytes', 0,
  'skipped_count', 0, 'combines_done', 0, 'combines_run', 0)
if #ARGV >= arg_fields then call('HSET', key_source, unpack(ARGV, arg_fields)) end
if n.rank and nodes.names_resources(n.rank) then call('HSET', key_source, 'gate', '') end -- until it has its place
readiness.update(c, first, source.count, 0, false)
if arg_first ~= '' and goes_on and record.level(c) < record.FULL then
  record.append(c, 'k', 'r', 'u', nodes.tree(tree_node), 't', now, 'i', 'combines ' .. nodes.ordinal(tree_node) .. ' ' .. arg_first
    .. ' ' .. decimal.of(source.count) .. ' ' .. arg_fan_in .. ' 0')
end
if n.rank and goes_on then commands.leave(c, 'place', arg_source, arg_source .. ' ', arg_pool, now) end -- for its tags
reports.changed(c)
return {OK, 1, goes_on and '' or notices.tell(c, tree_node, next_pool, nil, 0, 0, 0)}
