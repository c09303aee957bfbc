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
-- KEYS combines: id of a combine to how many of its children have ended
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- ARGV command: that asks for it
-- ARGV node: id of the node
-- ARGV source: its name in the pool's order
-- RETURNS {OK, taken: 1 when this call took the command}
-- USES ordinals/reports ordinals/readiness ordinals/closing common/now task/nodes
nodes.open(c)
if call('ZREM', key_commands, arg_command) == 0 then return {OK, 0} end
-- FIELDS source: status, ready numbers: left, running, delayed, max_workers
local n, before = nodes.get(c, arg_node), source.status
local parent = n and nodes.parent(c, n)
if source.status == 'succeeded' and parent and (parent.state == nodes.FAILED or nodes.is_over(parent) and parent.template == nodes.ordinal(n.id)) then
  call('UNLINK', key_results, key_combines)
end
if source.status ~= 'running' and source.status ~= 'suspended' and source.status ~= 'feeding' then return {OK, 1} end
local lives, suspended = false, nil
if n and not nodes.is_over(n) then lives, suspended = nodes.is_alive(c, n) end
if not lives then
  source.status = 'cancelled'
  closing.finish(c, source.status, 'Cancelled', '')
  call('UNLINK', key_results, key_combines)
elseif source.status ~= 'feeding' then
  source.status = suspended and 'suspended' or 'running'
  call('HSET', key_source, 'status', source.status)
end
if source.status == before then return {OK, 1} end
if before ~= 'feeding' then readiness.update(c, source.status, (source.left or 0) - (source.running or 0) - (source.delayed or 0), source.max_workers or 0, source.ready == '1') end
reports.changed(c)
return {OK, 1}
