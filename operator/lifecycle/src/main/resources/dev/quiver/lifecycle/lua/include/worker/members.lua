-- The sessions that work at a source: each stands in the source's list, and the source in the session's hash.
-- MODULE members
-- hash: that of the source.
function members.join(c, source, hash)
  call('ZADD', c.key_source_sessions, call('HINCRBY', hash, 'joined', 1), c.arg_session)
  call('HSET', c.key_session, 'set:' .. source, 1)
end
-- What it held there goes as well.
function members.leave(c, source)
  call('UNLINK', c.key_held)
  call('ZREM', c.key_source_sessions, c.arg_session)
  call('HDEL', c.key_session, 'set:' .. source)
end
