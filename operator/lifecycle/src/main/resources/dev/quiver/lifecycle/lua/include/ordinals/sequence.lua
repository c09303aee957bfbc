-- The order of the tasks that a source gives out: longest first, those that no run knows before all. A source without the
-- field `ordered` has none, and nothing here is called for it.
-- `ordered`: how many tasks the order has. `cursor` counts those that were given out from its head, and behind the order
-- those in the order of their numbers; `tail` those from its end; `fresh_ms` is the time that the others of it take.
-- MODULE sequence
-- KEYS order: number and ms of each task (u32 each, little endian) as they are given out, then the ms by number. Odd ms are
--   those of a task that no run knows
sequence.SLOW = 1500 -- thousandths of a task's usual time, above which a worker counts as slow
local PLACE, ESTIMATE = 8, 4 -- bytes
local MOST = 262144 -- tasks of an order
local MOST_MS = 1e15 -- of all of them
local function whole(text, most) -- 0 for what is none: a tenant may have written it
  local n = tonumber(text or '0')
  return n and n >= 0 and n <= most and n or 0
end
-- Reads where the order stands; that of a source that has ended is not looked at. A string that has another length, or tasks that the source does not have, is no order. If
-- tasks were given out by it already, nobody knows which: then the source is `broken`.
function sequence.open(c, source)
  local texts = call('HMGET', c.key_source, 'tail', 'fresh_ms', 'quick_until')
  source.tail, source.fresh_ms, source.quick_until = whole(texts[1], MOST), whole(texts[2], MOST_MS), whole(texts[3], MOST_MS)
  local n = source.ordered
  if source.status ~= 'running' and source.status ~= 'suspended' then
    source.ordered = nil
    return
  end
  if n > 0 and n <= MOST and source.tail <= n and (source.source_closed ~= '1' or n <= source.count)
    and call('STRLEN', c.key_order) == n * (PLACE + ESTIMATE) then return end
  sequence.refuse(c, source)
end
function sequence.refuse(c, source)
  if source.ordered > 0 and source.cursor + source.tail > 0 then
    source.broken = {reason = 'OrderLost', message = 'the order of the tasks can no longer be read, so nobody knows which of them ran'}
  else
    call('HDEL', c.key_source, 'ordered', 'tail', 'fresh_ms')
    source.tail = 0
  end
  source.ordered = nil
end
-- How many tasks of the order are left.
function sequence.left(source) return math.max(0, source.ordered - source.cursor - source.tail) end
-- Numbers and ms of `n` places from `first` on, one after the other; nothing where one is senseless.
function sequence.places(c, source, first, n)
  if first < 0 then return nil end -- a tenant may have written the cursor
  local text = call('GETRANGE', c.key_order, first * PLACE, (first + n) * PLACE - 1)
  if #text ~= n * PLACE then return nil end
  local all = {struct.unpack('<' .. string.rep('I4', n * 2), text)}
  for i = 1, n * 2, 2 do
    if all[i] >= source.ordered then return nil end
  end
  return all
end
-- The estimates of these tasks, ms by spaces; 0 of one that has none. known: those that are known already, by id.
function sequence.estimates(c, ordered, ids, known)
  local told = {}
  for i = 1, #ids do
    local ms, number = known and known[ids[i]], tonumber(ids[i])
    if not ms and number and number % 1 == 0 and number >= 0 and number < ordered then
      local at = ordered * PLACE + number * ESTIMATE
      local text = call('GETRANGE', c.key_order, at, at + ESTIMATE - 1)
      ms = #text == ESTIMATE and struct.unpack('<I4', text)
    end
    told[i] = string.format('%.0f', ms or 0)
  end
  return table.concat(told, ' ')
end
-- Numbers of tasks that were never given out, at most `most`, which count as given out from now on. Nothing where there are
-- none, or none that can be read.
function sequence.spend(c, source, most)
  local n = math.min(most, sequence.left(source))
  if n <= 0 then return nil end
  local got, ids = sequence.places(c, source, source.cursor, n), {}
  if not got then return nil end
  for i = 1, n do ids[i] = string.format('%.0f', got[i * 2 - 1]) end
  source.cursor = source.cursor + n
  call('HSET', c.key_source, 'cursor', source.cursor)
  return ids
end
