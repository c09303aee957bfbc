-- What a session holds of a source. `of_call`: what one call of it claimed and still is held, ids and places.
-- MODULE holds
local MOST_HELD = 65536
local function read(held)
  if call('HLEN', held) > MOST_HELD then error({err = 'ERR ' .. held .. ' holds more than a session may'}) end
  return call('HGETALL', held)
end
function holds.of_call(held, call_number)
  local all, ids, places = read(held), {}, {}
  local prefix = call_number .. '@'
  for i = 1, #all, 2 do
    if string.sub(all[i + 1], 1, #prefix) == prefix then
      ids[#ids + 1] = all[i]
      places[#ids] = string.sub(all[i + 1], #prefix + 1)
    end
  end
  return ids, places
end
-- Gives each hold to `act(id, number)`, where number is the call that claimed it.
function holds.each(held, act)
  local all = read(held)
  for i = 1, #all, 2 do
    local number = string.match(all[i + 1], '^(%d+)@')
    if number then act(all[i], number) end
  end
end
