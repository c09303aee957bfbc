-- The jobs under a pool's prefix as one of its sources, in the own keyspace.
-- Uses wire, order.
-- KEYS source: hash of the source (prefix, types, and the fields of every source)
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- ARGV pool: its name
-- USES worker/ready
local function waiting_work()
  local due = {'-inf', whole(now)}
  local waiting = ask(0, 'SCARD', wire('pending')) + ask(0, 'ZCOUNT', wire('mapping'), unpack(due))
    + ask(0, 'ZCOUNT', wire('reducing'), unpack(due))
  local jobs = ask({}, 'SRANDMEMBER', wire('aggregating'), LOOK)
  for i = 1, #jobs do
    local job = jobs[i]
    waiting = waiting + ask(0, 'SCARD', chunks(job, 'pending')) + ask(0, 'ZCOUNT', chunks(job, 'active'), unpack(due))
      + ask(0, 'ZCOUNT', chunks(job, 'errored'), unpack(due)) + (all_done(job) and 1 or 0)
  end
  return waiting
end
-- Call it last. `idle`: nothing was given out, and nothing changed.
local function keep_source(running_by, came, idle)
  local running, was_ready = unpack(call('HMGET', key_source, 'running', 'ready'))
  if not running then return end
  local waiting = waiting_work()
  running = math.max(0, (tonumber(running) or 0) + running_by)
  call('HSET', key_source, 'running', running, 'left', running + waiting)
  if came > 0 then call('HINCRBY', key_source, 'seq', came) end
  order.keep({hash = key_source, ready = key_ready, wake = key_wake, source = 'queue:' .. arg_pool}, waiting > 0,
    was_ready == '1', idle)
end
