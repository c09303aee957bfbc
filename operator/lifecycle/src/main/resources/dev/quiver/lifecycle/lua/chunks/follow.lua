-- Lets the source of a node follow it: it ends with its node, gives nothing out while that is suspended, and loses its
-- results when the chain that they were for has ended. Guarantee: a source that has ended stays so; idempotent.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS commands: commands on trees
-- KEYS delayed: sources with delayed tasks
-- KEYS meta: hash of the keyspace (changes)
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS results: id to result
-- KEYS folds: id of a fold to how many of its children have ended
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- ARGV command: that asks for it
-- ARGV node: id of the node
-- ARGV source: its name in the pool's order
-- RETURNS {OK, 1 when this call took the command}
-- USES common/now task/nodes
-- INCLUDE ordinals/changed
-- INCLUDE ordinals/finish
-- INCLUDE ordinals/ready
nodes.open(c)
if call('ZREM', key_commands, arg_command) == 0 then return {OK, 0} end
-- FIELDS source: status, ready numbers: left, running, delayed, max_workers
local n, before = nodes.get(c, arg_node), status
local parent = n and nodes.parent(c, n)
if status == 'succeeded' and parent and (parent.state == nodes.FAILED or nodes.is_over(parent) and parent.template == nodes.ordinal(n.id)) then
  call('UNLINK', key_results, key_folds)
end
if status ~= 'running' and status ~= 'suspended' and status ~= 'feeding' then return {OK, 1} end
local lives, suspended = false, nil
if n and not nodes.is_over(n) then lives, suspended = nodes.is_alive(c, n) end
if not lives then
  status = 'cancelled'
  finish(status, 'Cancelled', '')
  call('UNLINK', key_results, key_folds)
elseif status ~= 'feeding' then
  status = suspended and 'suspended' or 'running'
  call('HSET', key_source, 'status', status)
end
if status == before then return {OK, 1} end
if before ~= 'feeding' then update_ready(status, (left or 0) - (running or 0) - (delayed or 0), max_workers or 0, ready == '1') end
changed()
return {OK, 1}
