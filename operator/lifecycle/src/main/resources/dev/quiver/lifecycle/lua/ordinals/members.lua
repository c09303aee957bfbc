-- Lists the sessions that work at a source. Guarantee: changes nothing; what is too large is refused before it is copied.
-- FOR operator, worker
-- FLAGS no-writes
-- KEYS source_sessions: sessions that work at it
-- ARGV most: 0..65536; sessions at most
-- RETURNS {OK, sessions...} | {TOO_LARGE, words}
-- USES common/bounds
local BESIDE = 1048576
local words = bounds.whole(key_source_sessions, call('ZCARD', key_source_sessions), tonumber(arg_most), BESIDE)
if words then return {TOO_LARGE, words} end
local out, sessions = {OK}, call('ZRANGE', key_source_sessions, 0, -1)
for i = 1, #sessions do out[i + 1] = sessions[i] end
return out
