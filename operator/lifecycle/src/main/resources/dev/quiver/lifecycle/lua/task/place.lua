-- Gives a source of numbered tasks its place among the sources of its pool: by its own priority and the boosts of its tags.
-- The source of a node has those of its node. Guarantee: idempotent; a source that has ended, or is gone, has none.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS source: hash of the source
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV command: that asks for it, as read; or empty
-- ARGV name: of the source in the pool's order
-- ARGV key: of its hash, behind the prefix of the keyspace
-- ARGV tag: that led here; or empty
-- ARGV rank: its priority and its tags as a rank from now on; empty: as they are
-- RETURNS {OK, taken: 0 where another call took the command} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/bounds common/now task/nodes task/queue task/classes task/commands task/sources
nodes.open(c)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
local _, q = queue.open(KEYS, key_pools)
if not q then return redis.error_reply('ERR task/place: no pool is declared') end
if #arg_name > 128 or #arg_key > 160 or #arg_tag > 128 or arg_rank ~= '' and not nodes.is_rank(arg_rank) then
  return redis.error_reply('ERR task/place: the source or its rank makes no sense')
end
if arg_command ~= '' and not call('ZSCORE', key_commands, arg_command) then return {OK, 0} end
local words = bounds.fields(key_source, 'status', 'pool', 'node', 'rank', 'placed', 'priority')
if words then return {TOO_LARGE, words} end
local status, pool, node, rank = unpack(call('HMGET', key_source, 'status', 'pool', 'node', 'rank'))
local lives = (status == 'running' or status == 'suspended') and pool == q.name
if arg_rank ~= '' and lives and not node then
  rank = arg_rank
  call('HSET', key_source, 'rank', rank)
elseif node then
  local n = nodes.get(c, node)
  lives, rank = lives and n, n and n.rank
end
sources.place(c, q, key_source, arg_name, arg_key, lives and (rank or classes.NO_RANK) or nil, arg_tag)
if arg_command ~= '' then call('ZREM', key_commands, arg_command) end
return {OK, 1}
