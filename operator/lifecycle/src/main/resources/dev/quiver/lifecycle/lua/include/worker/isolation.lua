-- Tasks that lost their worker twice run alone: only a session that holds nothing claims one, and nothing beside it. So what
-- kills its worker once more takes no other task with it. The session's field `alone` says so, for all of its sources:
-- `h <source>` while it holds such a task, `t <source> <ms>` while it lets its other tasks end to become the one that does.
-- MODULE isolation
-- USES common/now
isolation.LOSSES = 2
local TURN_MS = 60000
-- The session's word, for the source that it works at.
function isolation.open(c, source)
  return {source = source, word = call('HGET', c.key_session, 'alone')}
end
-- Whether this session may claim nothing here, as of the settlements of this call.
function isolation.bars(c, its)
  if not its.word then return false end
  local kind, of, expiry = string.match(its.word, '^(%a) (%S+) ?(%d*)$')
  if kind == 'h' and of == its.source and call('HLEN', c.key_held) <= 1 then
    call('HDEL', c.key_session, 'alone')
    return false
  end
  return kind == 'h' or kind == 't' and of ~= its.source and c.now < (tonumber(expiry) or 0)
end
-- Whether the session holds nothing of this source, nor of any other: it leaves a source that it holds nothing of.
function isolation.is_empty(c, its)
  if call('HLEN', c.key_held) > 1 then return false end
  for _, field in ipairs(call('HKEYS', c.key_session)) do
    if string.sub(field, 1, 4) == 'set:' and string.sub(field, 5) ~= its.source then return false end
  end
  return true
end
-- The session holds such a task from now on. `hash` is that of the source.
function isolation.begins(c, its, hash)
  call('HSET', c.key_session, 'alone', 'h ' .. its.source)
  call('HDEL', hash, 'alone_turn')
end
-- Tasks wait for a session that holds nothing, and this one holds some. One session at a time claims nothing until it is
-- empty, so that they are run however busy the pool is. Whether it is this one.
function isolation.takes_turn(c, its, hash)
  local who, expiry = string.match(call('HGET', hash, 'alone_turn') or '', '^(%S+) (%d+)$')
  if who and who ~= c.arg_session and c.now < tonumber(expiry) and call('ZSCORE', c.key_sessions, who) then return false end
  expiry = string.format('%.0f', c.now + TURN_MS)
  call('HSET', hash, 'alone_turn', c.arg_session .. ' ' .. expiry)
  call('HSET', c.key_session, 'alone', 't ' .. its.source .. ' ' .. expiry)
  return true
end
-- Nothing waits any more for the turn that this session had.
function isolation.forgets_turn(c, its)
  if its.word and string.find(its.word, 't ' .. its.source .. ' ', 1, true) == 1 then call('HDEL', c.key_session, 'alone') end
end
-- The source is gone, and with it the task that the session held alone.
function isolation.forgets_source(c, its)
  if its.word == 'h ' .. its.source then call('HDEL', c.key_session, 'alone') end
end
