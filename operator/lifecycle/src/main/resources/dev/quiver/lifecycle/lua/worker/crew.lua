-- Lists some of the sessions that work at a source, in the order of joining. Guarantee: changes nothing; what is too large
-- is refused before it is copied.
-- FOR operator, history
-- FLAGS no-writes
-- KEYS source_sessions: sessions that work at it
-- ARGV after: 0..9007199254740992; the number of the last session of the page before, 0 at first
-- ARGV count: 0..1000; sessions of the page at most
-- ARGV most: 0..65536; sessions of the source at most
-- RETURNS {OK, all: sessions of the source, page...(session, joined)} | {TOO_LARGE, words}
-- USES common/bounds
local BESIDE = 1048576
local all = call('ZCARD', key_source_sessions)
local words = bounds.whole(key_source_sessions, all, tonumber(arg_most), BESIDE)
if words then return {TOO_LARGE, words} end
local out = {OK, all}
local page = call('ZRANGEBYSCORE', key_source_sessions, '(' .. arg_after, '+inf', 'WITHSCORES', 'LIMIT', 0, arg_count)
for i = 1, #page do out[#out + 1] = page[i] end
return out
