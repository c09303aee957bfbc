-- Reads what a complex task keeps. Guarantee: changes nothing; all of it is of one moment; no more bytes are copied than asked
-- for.
-- FOR worker, client
-- FLAGS no-writes
-- ARGV complex: its name: pool, a slash, handler, a byte 0, key
-- ARGV markers: 0..1; whether its markers are asked for, too
-- ARGV most: 0..16777216; bytes of all of it
-- RETURNS {OK, version: grows with each change; 0 where nothing is kept, bytes: of all of it, entries...(name, value)}. Without
--   entries where it has more bytes than asked for. A name has a byte 1 in front of that of a field, whose value is JSON, and a
--   byte 2 in front of a marker's, whose value has lines: how many of its leaves have not ended, JSON of what it says, and
--   where a leaf of it failed JSON of why
-- USES task/states
if not states.is_name(arg_complex) then return redis.error_reply('ERR task/state: the name of a complex task cannot be read') end
local entries, bytes = states.read(c, arg_complex, arg_markers == '1', tonumber(arg_most))
local out = {OK, states.facts(c, arg_complex).version, bytes}
for i = 1, #entries do out[#out + 1] = entries[i] end
return out
