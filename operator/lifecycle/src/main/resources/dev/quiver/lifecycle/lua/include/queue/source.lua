-- The jobs under a pool's prefix as one of its sources, in the own keyspace.
-- KEYS source: hash of the source (prefix, types, and the fields of every source)
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- ARGV pool: its name
-- USES queue/wire common/now common/decimal worker/ready
-- MODULE job_source
function job_source.waiting_work(c)
  local due = {'-inf', decimal.of(c.now)}
  local waiting = jobs.ask(0, 'SCARD', jobs.key(c, 'pending')) + jobs.ask(0, 'ZCOUNT', jobs.key(c, 'mapping'), unpack(due))
    + jobs.ask(0, 'ZCOUNT', jobs.key(c, 'reducing'), unpack(due))
  local mapped = jobs.ask({}, 'SRANDMEMBER', jobs.key(c, 'aggregating'), jobs.LOOK)
  for i = 1, #mapped do
    local job = mapped[i]
    waiting = waiting + jobs.ask(0, 'SCARD', jobs.chunks(job, 'pending')) + jobs.ask(0, 'ZCOUNT', jobs.chunks(job, 'active'), unpack(due))
      + jobs.ask(0, 'ZCOUNT', jobs.chunks(job, 'errored'), unpack(due)) + (jobs.all_done(job) and 1 or 0)
  end
  return waiting
end
-- Call it last. `idle`: nothing was given out, and nothing changed. `did`: see pace; it may be left out.
function job_source.keep(c, running_by, came, idle, did)
  order.keep_counted({hash = c.key_source, ready = c.key_ready, wake = c.key_wake, source = 'queue:' .. c.arg_pool},
    function() return job_source.waiting_work(c) end, running_by, came, idle, c.now, did)
end
