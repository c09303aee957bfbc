-- Tasks that lost their worker twice run alone: only a session that holds nothing claims one, and nothing beside it. So what
-- kills its worker once more takes no other task with it. The session's field `alone` says so, for all of its sources:
-- `h <source>` while it holds such a task, `t <source> <ms>` while it lets its other tasks end to become the one that does.
-- Uses now, source, key_session, key_sessions, key_held, arg_session.
local alone = {LOSSES = 2, TURN_MS = 60000, word = call('HGET', key_session, 'alone')}
-- Whether this session may claim nothing here, as of the settlements of this call.
function alone.bars()
  if not alone.word then return false end
  local kind, of, expiry = string.match(alone.word, '^(%a) (%S+) ?(%d*)$')
  if kind == 'h' and of == source and call('HLEN', key_held) <= 1 then
    call('HDEL', key_session, 'alone')
    return false
  end
  return kind == 'h' or kind == 't' and of ~= source and now < (tonumber(expiry) or 0)
end
-- Whether the session holds nothing of this source, nor of any other: it leaves a source that it holds nothing of.
function alone.is_empty()
  if call('HLEN', key_held) > 1 then return false end
  for _, field in ipairs(call('HKEYS', key_session)) do
    if string.sub(field, 1, 4) == 'set:' and string.sub(field, 5) ~= source then return false end
  end
  return true
end
function alone.begins(hash)
  call('HSET', key_session, 'alone', 'h ' .. source)
  call('HDEL', hash, 'alone_turn')
end
-- Tasks wait for a session that holds nothing, and this one holds some. One session at a time claims nothing until it is
-- empty, so that they are run however busy the pool is. Whether it is this one.
function alone.takes_turn(hash)
  local who, expiry = string.match(call('HGET', hash, 'alone_turn') or '', '^(%S+) (%d+)$')
  if who and who ~= arg_session and now < tonumber(expiry) and call('ZSCORE', key_sessions, who) then return false end
  expiry = string.format('%.0f', now + alone.TURN_MS)
  call('HSET', hash, 'alone_turn', arg_session .. ' ' .. expiry)
  call('HSET', key_session, 'alone', 't ' .. source .. ' ' .. expiry)
  return true
end
-- Nothing waits any more for the turn that this session had.
function alone.forgets_turn()
  if alone.word and string.find(alone.word, 't ' .. source .. ' ', 1, true) == 1 then call('HDEL', key_session, 'alone') end
end
