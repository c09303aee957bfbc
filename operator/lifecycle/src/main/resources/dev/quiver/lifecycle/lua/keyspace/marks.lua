-- Reads the first marks of change. Guarantee: changes nothing; what is too large is refused before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS dirty: changed sets
-- ARGV most: 0..100000; marks at most
-- RETURNS {OK, marks...(uid, change)} | {TOO_LARGE, words}
-- USES common/bounds
local BESIDE = 1048576
local words = bounds.members(key_dirty, call('ZCARD', key_dirty), tonumber(arg_most), BESIDE)
if words then return {TOO_LARGE, words} end
local out, marks = {OK}, call('ZRANGE', key_dirty, 0, tonumber(arg_most) - 1, 'WITHSCORES')
for i = 1, #marks do out[i + 1] = marks[i] end
return out
