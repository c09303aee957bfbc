-- Advances the leader's beat. Guarantee: the number never falls while the data is kept.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace
-- ARGV term: leader's term
-- RETURNS {OK, epoch, beat} | {NOTHING} when the keyspace has no epoch | {STALE_LEADER, term}
-- INCLUDE leader
local epoch = call('HGET', key_meta, 'epoch')
if not epoch then return {NOTHING} end
return {OK, epoch, call('HINCRBY', key_meta, 'beat', 1)}
