-- Takes back a term that no leader wrote. For who holds the Lease and was refused. Guarantee: only the very term that was
-- refused is replaced, so a leader that was overtaken meanwhile changes nothing; idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV seen: 0..9007199254740992; the term that it was refused for
-- RETURNS {OK} | {NOTHING} when the keyspace has another one
local LARGEST = 9007199254740992
local there = call('HSTRLEN', key_meta, 'term') < 32 and tonumber(call('HGET', key_meta, 'term') or '0') or 0
if math.min(math.floor(there), LARGEST) ~= tonumber(arg_seen) then return {NOTHING} end
call('HSET', key_meta, 'term', arg_term)
return {OK}
