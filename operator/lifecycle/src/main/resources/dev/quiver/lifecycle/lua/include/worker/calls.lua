-- A call of a session at a source is done once. The session's last one stands with its verdicts beside what it holds there;
-- after it left the source, only the number is known.
-- MODULE calls
-- USES worker/members worker/settling worker/pace
local ALREADY, COUNTED = settling.ALREADY, settling.COUNTED
local PASSED, MOVED, LOST = settling.PASSED, settling.MOVED, settling.LOST
local COLUMNS = 5 -- of a row: id, call of the claim, kind, run ms, data
-- What the session holds of what it settles, in the order of the rows, and whether this call was `done` before, with its
-- `verdicts`. Nothing for a call that comes too late.
function calls.open(c, rows, first, settles)
  local asked = {'#'}
  for i = 0, settles - 1 do asked[i + 2] = rows[first + i * COLUMNS] end
  local entries = call('HMGET', c.key_held, unpack(asked))
  local this, last, verdicts, floor = tonumber(c.arg_call), nil, nil, nil
  if entries[1] then
    last, verdicts = string.match(entries[1], '^(%d+)(.*)$')
    last = tonumber(last or '0')
  else
    floor = tonumber(call('HGET', c.key_session, 'floor') or '0') or 0
    last = floor
  end
  if this < last or this == last and not verdicts then return nil end
  return {number = this, floor = floor, ids = asked, entries = entries, done = this == last, verdicts = verdicts,
    member = call('ZSCORE', c.key_source_sessions, c.arg_session) and true or false}
end
-- Settles the rows of a call that was not done before. `settle(id, kind, data, number)` answers the verdict on one that the
-- session holds under that claim, and holds no more. `did` notes the trials that ended, see pace. Answers the verdicts in
-- their order, and the ids that are held no more.
function calls.settle(c, this, rows, first, settles, did, settle)
  local verdicts, released, entries = {}, {}, this.entries
  for i = 0, settles - 1 do
    local at = first + i * COLUMNS
    local id, number, kind, data = rows[at], rows[at + 1], rows[at + 2], rows[at + 4]
    local entry, prefix = entries[i + 2], number .. '@'
    if not entry or string.sub(entry, 1, #prefix) ~= prefix then
      verdicts[i + 1] = ALREADY
    elseif kind == MOVED then
      verdicts[i + 1] = COUNTED
      call('HSET', c.key_held, id, prefix .. data)
    else
      released[#released + 1] = id
      if kind == PASSED or kind ~= LOST and settling.ends_trial(kind) then pace.ran(did, rows[at + 3]) end
      verdicts[i + 1] = settle(id, kind, data, number)
    end
  end
  if #released > 0 then call('HDEL', c.key_held, unpack(released)) end
  return verdicts, released
end
-- A session that holds nothing and found nothing leaves the source; else this call is its last one there. `rows` are what it
-- holds from now on, as fields and values, unless that is written. Answers whether it stays.
function calls.close(c, this, source, verdicts, claimed, rows)
  local stays = this.member or claimed > 0
  if stays and claimed == 0 and call('HLEN', c.key_held) <= 1 then
    members.leave(c, source)
    stays = false
  end
  if stays then
    call('HSET', c.key_held, '#', c.arg_call .. verdicts, unpack(rows or {}))
  elseif this.number > (this.floor or tonumber(call('HGET', c.key_session, 'floor') or '0') or 0) then
    call('HSET', c.key_session, 'floor', c.arg_call)
  end
  return stays
end
