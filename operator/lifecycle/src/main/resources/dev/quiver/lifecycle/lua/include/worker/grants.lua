-- A prefix of another program's wire as a source of a pool.
-- KEYS delayed: sources with something that is due
-- KEYS source: hash of the source
-- MODULE grants
function grants.put(c, source, pool, prefix, types)
  if call('EXISTS', c.key_source) == 0 then
    call('HSET', c.key_source, 'status', 'running', 'pool', pool, 'deadline_at', 0, 'delayed', 0, 'priority', 0,
      'virtual_time', 0, 'left', 0, 'running', 0, 'seq', 0)
  end
  call('HSET', c.key_source, 'prefix', prefix, 'types', types)
  if not call('ZSCORE', c.key_delayed, source) then call('ZADD', c.key_delayed, 0, source) end
end
-- `ready` is the pool's order; further keys of the source go with it.
function grants.take(c, source, ready, ...)
  call('ZREM', c.key_delayed, source)
  call('ZREM', ready, source)
  call('UNLINK', c.key_source, ...)
end
