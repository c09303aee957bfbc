-- Looks at the part of the record that nobody has read yet. Guarantee: changes nothing; numbers are whole and bounded,
-- whatever a tenant wrote.
-- FOR operator
-- FLAGS no-writes
-- KEYS meta: hash of the keyspace (history_bytes, history_most, record_room)
-- RETURNS {OK, level: of include/history/record, bytes, most: bytes that there may be, age: of the oldest entry in ms,
--   wanted: bytes that the record may take, room: bytes that its volume has for it}; the last two are 0 where it has
--   enough
-- USES common/now history/record
local MOST = 1125899906842624
local function bounded(name)
  local number = call('HSTRLEN', key_meta, name) <= 20 and tonumber(call('HGET', key_meta, name) or '') or 0
  return number >= 0 and math.floor(math.min(number, MOST)) or 0
end
local age = 0
if call('TYPE', key_history).ok == 'stream' then
  local first = call('XRANGE', key_history, '-', '+', 'COUNT', 1)[1]
  local at = first and tonumber(string.match(first[1], '^%d+'))
  age = at and math.max(0, math.min(now - at, MOST)) or 0
end
-- The note of history/note_room: nothing where it is old, or where a tenant wrote something else.
local NOTE_BYTES, NOTE_MS = 64, 600000
local note = call('HSTRLEN', key_meta, 'record_room') <= NOTE_BYTES and call('HGET', key_meta, 'record_room') or ''
local wanted, room, at = string.match(note, '^(%d+) (%d+) (%d+)$')
if not wanted or math.abs(now - tonumber(at)) > NOTE_MS then wanted, room = 0, 0 end
return {OK, record.level(c), bounded('history_bytes'), bounded('history_most'), age, math.min(tonumber(wanted), MOST),
  math.min(tonumber(room), MOST)}
