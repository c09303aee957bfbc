-- Takes back what a fenced session holds of a source.
-- MODULE reaping
-- USES common/bounds worker/members
local HELD, HELD_BYTES = 65536, 16777216
-- What the script is to answer, or nothing.
function reaping.refusal(c)
  if not call('ZSCORE', c.key_fenced, c.arg_session) then return {NOTHING} end
  local words = bounds.hash(c.key_held, HELD, HELD_BYTES) or bounds.hash(c.key_session, HELD, HELD_BYTES)
  return words and {TOO_LARGE, words}
end
-- Gives at most `most` holds to `act(id, number, started)`: the call that claimed it, and whether the task was begun, and so
-- was lost. What waited in the session's queue was not, nor what the store forgot with its last second. Answers the ids, and
-- whether that was all.
function reaping.take(c, most, act)
  local rewound = (tonumber(call('HGET', c.key_session, 'calls') or '0') or 0) < 0
  local held, taken, all = call('HGETALL', c.key_held), {}, true
  for i = 1, #held, 2 do
    local number, place = string.match(held[i + 1], '^(%d+)@(.*)$')
    if number and #taken >= most then
      all = false
      break
    end
    if number then
      taken[#taken + 1] = held[i]
      act(held[i], number, not rewound and string.sub(place, 1, 1) ~= '-')
    end
  end
  if #taken > 0 then call('HDEL', c.key_held, unpack(taken)) end
  return taken, all
end
-- The session works at the source no more. One that works at none is gone.
function reaping.close(c, source)
  members.leave(c, source)
  for _, field in ipairs(call('HKEYS', c.key_session)) do
    if string.sub(field, 1, 4) == 'set:' then return end
  end
  call('UNLINK', c.key_session)
  call('ZREM', c.key_fenced, c.arg_session)
end
