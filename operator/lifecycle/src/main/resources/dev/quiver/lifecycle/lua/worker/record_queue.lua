-- Says how the trees of a pool that have no resource are recorded. Guarantee: only while the uid owns the name; idempotent.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term, history_most)
-- KEYS pool: hash of the pool's owner
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool_uid: uid of the WorkerPool
-- ARGV history: a word of the recording; empty where they are not recorded
-- ARGV opening: what each of their runs begins with, behind one byte; empty where they are not recorded
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader history/record
local stale = leader.refusal(c)
if stale then return stale end
if call('HGET', key_pool, 'uid') == arg_pool_uid then
  if arg_history == '' then
    call('HDEL', key_pool, 'history', 'opening')
  else
    record.is_read(c)
    call('HSET', key_pool, 'history', arg_history, 'opening', string.sub(arg_opening, 2))
  end
end
return {OK}
