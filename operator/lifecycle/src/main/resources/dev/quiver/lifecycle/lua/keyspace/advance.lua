-- Advances the leader's beat. Guarantee: the number never falls while the data is kept.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV history_most: 0..9007199254740992; bytes that the record's stream may take, 0 where nobody reads it
-- RETURNS {OK, epoch, beat} | {NOTHING} when the keyspace has no epoch | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/bounds
local stale = leader.refusal(c)
if stale then return stale end
local words = bounds.fields(key_meta, 'epoch', 'beat')
if words then return {TOO_LARGE, words} end
local epoch = call('HGET', key_meta, 'epoch')
if not epoch then return {NOTHING} end
call('HSET', key_meta, 'history_most', arg_history_most)
return {OK, epoch, call('HINCRBY', key_meta, 'beat', 1)}
