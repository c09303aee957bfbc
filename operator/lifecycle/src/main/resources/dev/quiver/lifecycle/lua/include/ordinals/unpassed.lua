-- Notes which tasks ended without a pass: a run that repeats them asks for it. 48 of them share an entry, as bits of its number.
-- A string of bits would let whoever may write one bit take 512 MB with one command. A source that keeps results notes none.
-- MODULE unpassed
-- KEYS unpassed: the number of a task divided by 48 → bits of the 48 tasks from there on
local MOST, SHARED = 1048576, 48 -- tasks of a source; a session may write any text as an id
local BITS = {}
for i = 0, SHARED - 1 do BITS[i] = 2 ^ i end
function unpassed.note(c, source, ids)
  if #ids == 0 or source.keeps or not source.count then return end
  local words, fields = {}, {}
  for i = 1, #ids do
    local number = #ids[i] <= 7 and tonumber(string.match(ids[i], '^%d+$'))
    if number and number < source.count and number < MOST then
      local field = string.format('%.0f', math.floor(number / SHARED))
      if not words[field] then
        local there = call('HSTRLEN', c.key_unpassed, field) <= 15 and call('HGET', c.key_unpassed, field)
        words[field], fields[#fields + 1] = tonumber(there or '0') or 0, field
      end
      local bit = BITS[number % SHARED]
      if math.floor(words[field] / bit) % 2 == 0 then words[field] = words[field] + bit end
    end
  end
  local rows = {}
  for i = 1, #fields do rows[i * 2 - 1], rows[i * 2] = fields[i], string.format('%.0f', words[fields[i]]) end
  if #rows > 0 then call('HSET', c.key_unpassed, unpack(rows)) end
end
