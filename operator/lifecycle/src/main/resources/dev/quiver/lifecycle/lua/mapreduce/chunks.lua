-- Reads the counters, samples and skipped chunks of one node, of one moment. Guarantee: changes nothing; what is too large
-- is refused before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS source: hash of the source
-- KEYS failures: sample
-- KEYS skipped: tasks that were given up
-- ARGV most_samples: 0..256; failures at most
-- ARGV sample_bytes: 0..4194304; bytes of all failures at most
-- ARGV most_skipped: 0..10000; chunks that were given up, the first ones
-- ARGV fields...: 0..128; names of the fields to read
-- RETURNS {OK, now, fields[], failures[](id, failure), skipped...: numbers of chunks} | {TOO_LARGE, words}
-- USES common/now common/bounds
local MOST_SKIPPED, BESIDE = 10000, 1048576
local names, out = {}, {OK, now}
for i = arg_fields, #ARGV do names[#names + 1] = ARGV[i] end
local words = bounds.fields(key_source, unpack(names))
  or bounds.hash(key_failures, tonumber(arg_most_samples), tonumber(arg_sample_bytes))
  or bounds.whole(key_skipped, call('ZCARD', key_skipped), MOST_SKIPPED, BESIDE)
if words then return {TOO_LARGE, words} end
local values = call('HMGET', key_source, unpack(names))
out[#out + 1] = #names
for i = 1, #names do out[#out + 1] = values[i] or '' end
local samples = call('HGETALL', key_failures)
out[#out + 1] = #samples / 2
for i = 1, #samples do out[#out + 1] = samples[i] end
for _, id in ipairs(call('ZRANGE', key_skipped, 0, tonumber(arg_most_skipped) - 1)) do out[#out + 1] = id end
return out
