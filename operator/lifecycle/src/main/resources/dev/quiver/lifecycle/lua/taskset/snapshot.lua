-- Reads the counters, samples and workers of some TaskSets. Guarantee: changes nothing; the numbers of all of them are of
-- one moment; what is too large is refused before it is copied.
-- FOR operator, history
-- FLAGS no-writes
-- KEYS of_sets...: 0..768; hash, failures and sessions of each set
-- ARGV most_bytes: 0..16777216; bytes of a set's fields at most
-- ARGV most_samples: 0..256; failures of a set at most
-- ARGV sample_bytes: 0..4194304; bytes of a set's failures at most
-- ARGV fields...: 0..128; names of the fields to read
-- RETURNS {OK, now, sets...} | {TOO_LARGE, words}. Each set: fields, workers, number of failures, (id, failure)...
-- USES common/now common/bounds
local FIELDS, VALUES_BYTES = 128, 65536
local out, names = {OK, now}, {}
for i = arg_fields, #ARGV do names[#names + 1] = ARGV[i] end
for i = key_of_sets, #KEYS, 3 do
  local words = bounds.hash(KEYS[i], FIELDS, tonumber(arg_most_bytes))
    or bounds.hash(KEYS[i + 1], tonumber(arg_most_samples), tonumber(arg_sample_bytes))
  if words then return {TOO_LARGE, words} end
  local values, bytes = call('HMGET', KEYS[i], unpack(names)), 0
  for j = 1, #names do
    bytes = bytes + (values[j] and #values[j] or 0)
    out[#out + 1] = values[j]
  end
  if bytes > VALUES_BYTES then
    return {TOO_LARGE, KEYS[i] .. ' has fields of ' .. bytes .. ' bytes, at most ' .. VALUES_BYTES .. ' are read'}
  end
  out[#out + 1] = call('ZCARD', KEYS[i + 2])
  local samples = call('HGETALL', KEYS[i + 1])
  out[#out + 1] = #samples / 2
  for j = 1, #samples do out[#out + 1] = samples[j] end
end
return out
