-- Gives a source of numbered tasks its place among the sources of its pool: by its own priority and the boosts of its tags,
-- and none while a resource that it names is missing. The source of a node has those of its node. Guarantee: idempotent; a
-- source that has ended, or is gone, has none; what runs of it goes on.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS source: hash of the source
-- KEYS source_sessions: sessions that work at it
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV command: that asks for it, as read; or empty
-- ARGV name: of the source in the pool's order
-- ARGV key: of its hash, behind the prefix of the keyspace
-- ARGV tag: that led here; or empty
-- ARGV resource: that led here; or empty
-- ARGV rank: its priority, tags and resources as a rank from now on; empty: as they are
-- RETURNS {OK, taken: 0 where another call took the command} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/bounds common/now task/nodes task/queue task/aging task/commands task/sources ordinals/standing
nodes.open(c)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
local _, q = queue.open(KEYS, key_pools)
if not q then return redis.error_reply('ERR task/place: no pool is declared') end
if #arg_name > 128 or #arg_key > 160 or #arg_tag > 128 or #arg_resource > 128 or arg_rank ~= '' and not nodes.is_rank(arg_rank) then
  return redis.error_reply('ERR task/place: the source or its rank makes no sense')
end
if arg_command ~= '' and not call('ZSCORE', key_commands, arg_command) then return {OK, 0} end
local words = bounds.fields(key_source, 'rank') or bounds.fields(key_source, 'placed') or bounds.fields(key_source, 'gated', 'gate')
  or bounds.fields(key_source, 'status', 'pool', 'node', 'priority', 'left', 'running', 'delayed', 'max_workers', 'max_parallel',
    'copies', 'offered', 'ready', 'source_closed', 'ordered', 'count', 'cursor', 'tail')
if words then return {TOO_LARGE, words} end
-- FIELDS source: status, pool, node, rank, ready, source_closed
--   numbers: left, running, delayed, max_workers, max_parallel, copies, offered, ordered, count, cursor, tail
local node, rank = source.node, source.rank
local lives = (source.status == 'running' or source.status == 'suspended') and source.pool == q.name
if arg_rank ~= '' and lives and not node then
  rank = arg_rank
  call('HSET', key_source, 'rank', rank)
elseif node then
  local n = nodes.get(c, node)
  lives, rank = lives and n, n and n.rank
end
local changed, gate = sources.place(c, q, key_source, arg_name, arg_key, lives and (rank or aging.NO_RANK) or nil, arg_tag,
  arg_resource)
if changed and source.left and source.running then
  source.gate = gate
  standing.keep({source = arg_name, hash = key_source, ready = q.ready, wake = q.wake, sessions = key_source_sessions, gate = gate},
    source.status, standing.claimable(source), source.max_workers or 0, source.ready == '1', false, source.offered)
end
if arg_command ~= '' then call('ZREM', key_commands, arg_command) end
return {OK, 1}
