-- Reads results of nodes. Guarantee: changes nothing; no more bytes are copied than asked for.
-- FOR operator, worker, client
-- FLAGS no-writes
-- KEYS nodes: id to record
-- KEYS results: id to result or error
-- ARGV most: 0..16777216; bytes of all results together
-- ARGV ids...: 0..2000; of the nodes
-- RETURNS {OK, results...(bytes, text, record)}. Text: nothing where it is too large; record: where the children have
--   it
local RECORD_BYTES = 1024
local out, left = {OK}, tonumber(arg_most)
for i = arg_ids, #ARGV do
  local size, text, record = call('HSTRLEN', key_results, ARGV[i]), '', ''
  if size <= left then
    text = call('HGET', key_results, ARGV[i]) or ''
    left = left - size
  end
  if text == '*' and call('HSTRLEN', key_nodes, ARGV[i]) <= RECORD_BYTES then
    record = call('HGET', key_nodes, ARGV[i]) or ''
  end
  out[#out + 1], out[#out + 2], out[#out + 3] = size, text, record
end
return out
