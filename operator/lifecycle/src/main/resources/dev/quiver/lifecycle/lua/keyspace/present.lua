-- Lists the TaskSets that have keys. Guarantee: changes nothing; what is too large is refused before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS sets: uids that have keys
-- ARGV most: 0..100000; sets at most
-- RETURNS {OK, uids...} | {TOO_LARGE, words}
-- USES common/bounds
local BESIDE = 1048576
local words = bounds.whole(key_sets, call('SCARD', key_sets), tonumber(arg_most), BESIDE)
if words then return {TOO_LARGE, words} end
local out, uids = {OK}, call('SMEMBERS', key_sets)
for i = 1, #uids do out[i + 1] = uids[i] end
return out
