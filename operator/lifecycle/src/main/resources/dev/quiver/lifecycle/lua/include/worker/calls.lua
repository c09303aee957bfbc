-- A call of a session at a source is done once. The session's last one stands with its verdicts beside what it holds there;
-- after it left the source, only the number is known.
-- MODULE calls
-- USES worker/members
local COLUMNS = 5 -- of a row: id, call of the claim, kind, run ms, data
-- What the session holds of what it settles, in the order of the rows, and whether this call was `done` before, with its
-- `verdicts`. Nothing for a call that comes too late.
function calls.open(c, rows, first, settles)
  local asked = {'#'}
  for i = 0, settles - 1 do asked[i + 2] = rows[first + i * COLUMNS] end
  local entries = call('HMGET', c.key_held, unpack(asked))
  local this, last, verdicts = tonumber(c.arg_call), nil, nil
  if entries[1] then
    last, verdicts = string.match(entries[1], '^(%d+)(.*)$')
    last = tonumber(last or '0')
  else
    last = tonumber(call('HGET', c.key_session, 'floor') or '0') or 0
  end
  if this < last or this == last and not verdicts then return nil end
  return {number = this, ids = asked, entries = entries, done = this == last, verdicts = verdicts,
    member = call('ZSCORE', c.key_source_sessions, c.arg_session) and true or false}
end
-- A session that holds nothing and found nothing leaves the source; else this call is its last one there. Answers whether
-- it stays.
function calls.close(c, this, source, verdicts, claimed)
  local stays = this.member or claimed > 0
  if stays and claimed == 0 and call('HLEN', c.key_held) <= 1 then
    members.leave(c, source)
    stays = false
  end
  if stays then
    call('HSET', c.key_held, '#', c.arg_call .. verdicts)
  elseif this.number > (tonumber(call('HGET', c.key_session, 'floor') or '0') or 0) then
    call('HSET', c.key_session, 'floor', c.arg_call)
  end
  return stays
end
