-- Reads a hash whole. Guarantee: changes nothing; what is too large is refused before it is copied.
-- FOR worker
-- FLAGS no-writes
-- KEYS source: a session, or what it holds of a source
-- ARGV most: 0..65536; entries at most
-- ARGV most_bytes: 0..16777216; bytes of the key at most
-- RETURNS {OK, entries...(name, value)} | {TOO_LARGE, words}
-- USES common/bounds
local words = bounds.hash(key_source, tonumber(arg_most), tonumber(arg_most_bytes))
if words then return {TOO_LARGE, words} end
local out, entries = {OK}, call('HGETALL', key_source)
for i = 1, #entries do out[i + 1] = entries[i] end
return out
