-- Moves tasks of a source from a fenced session to the next one of its pod, which found them in its slots.
-- MODULE adoption
-- Done once for each (session, call). `rows` have an id and a place each from `first` on; a place that begins with - is one of
-- a queue, and its task waits to be taken back. A letter that stands behind a place stays. `takes(id, number)` answers
-- whether the task may go on, where number is the call that claimed it; without `takes` nothing moves. Answers what the
-- script is to answer instead, or nothing.
function adoption.move(c, source, rows, first, takes)
  if (#rows - first + 1) % 2 ~= 0 then return redis.error_reply('ERR a place is missing') end
  local last = call('HGET', c.key_held, '#')
  last = tonumber(last and string.match(last, '^%d+') or call('HGET', c.key_session, 'floor') or '0') or 0
  if tonumber(c.arg_call) < last then return {STALE} end
  if tonumber(c.arg_call) == last or not takes or not call('ZSCORE', c.key_fenced, c.arg_earlier) then return nil end
  local moved, held, waiting = {}, {'#', c.arg_call}, {}
  for i = first, #rows, 2 do
    local id, place = rows[i], rows[i + 1]
    local entry = call('HGET', c.key_earlier_held, id)
    local number = entry and string.match(entry, '^(%d+)@')
    if number and string.sub(place, 1, 1) == '-' then
      waiting[#waiting + 1], waiting[#waiting + 2] = id, number .. '@' .. place .. string.match(entry, '%a?$')
    elseif number and takes(id, number) then
      moved[#moved + 1] = id
      held[#held + 1], held[#held + 2] = id, c.arg_call .. '@' .. place .. string.match(entry, '%a?$')
    end
  end
  if #waiting > 0 then call('HSET', c.key_earlier_held, unpack(waiting)) end
  if #moved > 0 then
    call('HDEL', c.key_earlier_held, unpack(moved))
    call('HSET', c.key_held, unpack(held))
    call('ZADD', c.key_source_sessions, call('ZSCORE', c.key_source_sessions, c.arg_earlier) or 0, c.arg_session)
    call('HSET', c.key_session, 'set:' .. source, 1)
  end
end
