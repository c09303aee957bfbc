-- What one call of this session claimed and still holds: ids and places.
-- MODULE holds
local MOST_HELD = 65536
function holds.of_call(held, call_number)
  if call('HLEN', held) > MOST_HELD then error({err = 'ERR ' .. held .. ' holds more than a session may'}) end
  local all, ids, places = call('HGETALL', held), {}, {}
  local prefix = call_number .. '@'
  for i = 1, #all, 2 do
    if string.sub(all[i + 1], 1, #prefix) == prefix then
      ids[#ids + 1] = all[i]
      places[#ids] = string.sub(all[i + 1], #prefix + 1)
    end
  end
  return ids, places
end
