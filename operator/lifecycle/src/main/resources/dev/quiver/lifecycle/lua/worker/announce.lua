-- Makes a WorkerPool the owner of its name. Guarantee: idempotent; sessions of another uid are refused from now on.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS pool: hash of the pool's owner
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool_uid: uid of the WorkerPool
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
call('HSET', key_pool, 'uid', arg_pool_uid)
call('PERSIST', key_meta) -- as retire may have left it
return {OK}
