-- Reads who works in which pool. Guarantee: changes nothing; what is too large is refused before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS registries...: 0..4096; registry of each pool
-- ARGV most: 0..65536; sessions of a pool at most
-- ARGV most_bytes: 0..67108864; bytes of all registries at most
-- RETURNS {OK, now, bytes, pools...} | {TOO_LARGE, words}. Of each pool: number of sessions, (session, record)...
-- USES common/now common/bounds
local out, all = {OK, now, 0}, 0
for i = key_registries, #KEYS do
  local words, bytes = bounds.hash(KEYS[i], tonumber(arg_most), tonumber(arg_most_bytes) - all)
  if words then return {TOO_LARGE, words} end
  all = all + bytes
  local entries = call('HGETALL', KEYS[i])
  out[#out + 1] = #entries / 2
  for j = 1, #entries do out[#out + 1] = entries[j] end
end
out[3] = all
return out
