-- Makes a WorkerPool the owner of its name. Guarantee: idempotent; sessions of another uid are refused from now on.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS pool: hash of the pool's owner
-- KEYS states: what complex tasks keep
-- KEYS state_names: their names
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV pool_uid: uid of the WorkerPool
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
call('HSET', key_pool, 'uid', arg_pool_uid)
for _, kept in ipairs({key_meta, key_states, key_state_names}) do call('PERSIST', kept) end -- as retire may have left them
return {OK}
