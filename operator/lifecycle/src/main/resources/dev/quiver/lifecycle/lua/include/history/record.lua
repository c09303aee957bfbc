-- Writes the record of a keyspace: entries of its stream, as EntryFields has them, and how full the stream is.
-- KEYS history: stream of the record
-- MODULE record
record.FULL, record.OFF = 3, 4
local ENTRY_BYTES, LEAST_BYTES = 40, 1048576
-- 0: there is room; 1: tails of output are to be left out; 2: passes, too; FULL: only openings and ends are written; OFF:
-- nobody reads the stream. The bound is the operator's word.
function record.level(c)
  if call('HSTRLEN', c.key_meta, 'history_most') > 20 or call('HSTRLEN', c.key_meta, 'history_bytes') > 20 then
    return record.OFF
  end
  local most, bytes = unpack(call('HMGET', c.key_meta, 'history_most', 'history_bytes'))
  most, bytes = tonumber(most or '0') or 0, tonumber(string.match(bytes or '0', '^%-?%d+$') or '')
  if most <= 0 or not bytes then return record.OFF end
  local full = bytes / most * 16
  return full >= 16 and record.FULL or full >= 10 and 2 or full >= 5 and 1 or 0
end
-- Whoever opens a run knows that somebody reads the record. The room may not have been named yet: the keyspace is new, was
-- emptied, or had no readers until now. Until the leader's next beat names it, the room is the least that any leader gives.
function record.is_read(c)
  if record.level(c) == record.OFF then call('HSET', c.key_meta, 'history_most', LEAST_BYTES) end
end
-- Appends an entry: names and values in turn. Its bytes count until `trim` takes them off again.
function record.append(c, ...)
  local bytes, fields = ENTRY_BYTES, {...}
  for i = 1, #fields do
    fields[i] = tostring(fields[i])
    bytes = bytes + #fields[i]
  end
  call('XADD', c.key_history, '*', unpack(fields))
  call('HINCRBY', c.key_meta, 'history_bytes', string.format('%.0f', bytes))
end
-- Milliseconds that a worker reports; 0 for what are none.
function record.ms(text)
  return #text <= 15 and tonumber(string.match(text, '^%d+$')) or 0
end
-- Bytes of an argument: the first one stands before them, so that they are no text on their way here.
function record.body(argument) return string.sub(argument, 2) end
-- The first bytes of a text, which ends between two characters.
function record.cut(text, most)
  if #text <= most then return text end
  while most > 0 and string.byte(text, most + 1) >= 128 and string.byte(text, most + 1) < 192 do most = most - 1 end
  return string.sub(text, 1, most)
end
