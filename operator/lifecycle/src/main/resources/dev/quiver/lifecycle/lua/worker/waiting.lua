-- Names the sources of some pools that have work for a worker: the first ones of each pool's order. Guarantee: changes
-- nothing; what is too large is refused before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS orders...: 0..1024; order of each pool
-- ARGV most: 1..1024; sources of a pool at most
-- RETURNS {OK, pools...} | {TOO_LARGE, words}. Of each pool: number of sources, source...
-- USES common/bounds
local BESIDE = 16777216
local out, most = {OK}, tonumber(arg_most)
for i = key_orders, #KEYS do
  local entries = call('ZCARD', KEYS[i])
  local words = entries > 0 and bounds.members(KEYS[i], entries, most, BESIDE)
  if words then return {TOO_LARGE, words} end
  local first = entries > 0 and call('ZRANGE', KEYS[i], 0, most - 1) or {}
  out[#out + 1] = #first
  for j = 1, #first do out[#out + 1] = first[j] end
end
return out
