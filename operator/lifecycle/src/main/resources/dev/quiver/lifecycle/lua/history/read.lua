-- Reads the oldest entries of a keyspace's record. Guarantee: changes nothing; the reply is bounded: an entry that is too
-- large comes without its fields, which nobody copies out of Redis.
-- FOR history
-- FLAGS no-writes
-- KEYS history: stream of the record
-- ARGV most: 0..10000; entries at most
-- ARGV most_bytes: 0..67108864; bytes of all fields, behind which no further entry comes
-- ARGV entry_bytes: 0..16777216; bytes of the fields of one entry at most
-- RETURNS {OK, entries: in the stream, page...}. Of each entry: id, bytes, number of fields, fields...
local MOST_AT_ONCE, some = 16, 1 -- read at a time, few at first: a page is cut short before all of it was copied
local out, read, bytes, from = {OK, call('XLEN', key_history)}, 0, 0, '-'
local most, most_bytes, entry_bytes = tonumber(arg_most), tonumber(arg_most_bytes), tonumber(arg_entry_bytes)
while read < most and bytes < most_bytes do
  local entries = call('XRANGE', key_history, from, '+', 'COUNT', math.min(some, most - read))
  for _, entry in ipairs(entries) do
    local id, fields = entry[1], entry[2]
    local size = 0
    for i = 1, #fields do size = size + #fields[i] end
    local shown = size <= entry_bytes and #fields or 0
    local at = #out
    out[at + 1], out[at + 2], out[at + 3] = id, size, shown
    for i = 1, shown do out[at + 3 + i] = fields[i] end
    read, bytes, from = read + 1, bytes + (shown > 0 and size or 0), '(' .. id
    if bytes >= most_bytes then break end
  end
  if #entries < some then break end
  some = math.min(MOST_AT_ONCE, some * 2)
end
return out
