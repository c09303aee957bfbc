-- Reads fields of a hash. Guarantee: changes nothing; what is too large is refused before it is copied.
-- FOR operator, worker, client, history
-- FLAGS no-writes
-- KEYS source: hash of a source of work, of a session or of the keyspace
-- ARGV most_bytes: 0..67108864; bytes of all values at most
-- ARGV names...: 0..256; of the fields
-- RETURNS {OK, values...: false for none} | {TOO_LARGE, words}
local names, bytes = {}, 0
for i = arg_names, #ARGV do
  names[#names + 1] = ARGV[i]
  bytes = bytes + call('HSTRLEN', key_source, ARGV[i])
end
if bytes > tonumber(arg_most_bytes) then
  return {TOO_LARGE, key_source .. ' has fields of ' .. bytes .. ' bytes, at most ' .. arg_most_bytes .. ' are read'}
end
local out, values = {OK}, call('HMGET', key_source, unpack(names))
for i = 1, #names do out[i + 1] = values[i] end
return out
