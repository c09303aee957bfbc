-- A pool's tasks of the wire as one of its sources, in the own keyspace. `iterations` has the iterators that are to be called
-- and the command that asks for it; `iterating` those that are being called, with session, call and command.
-- Uses wire, order.
-- KEYS source: hash of the source (prefix, types, and the fields of every source)
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- KEYS iterations: iterator to <ms at which its lock lapses>/<command that asks to call it>
-- ARGV pool: its name, also on the wire
-- USES worker/ready
local function due_commands() return call('ZCOUNT', wire(arg_pool .. ':commands'), '-inf', whole(now)) end
local function waiting_work()
  return call('SCARD', wire(arg_pool .. ':startable')) + call('HLEN', key_iterations) + due_commands()
end
-- Call it last. `idle`: nothing was given out, and nothing changed.
local function keep_source(running_by, came, idle)
  local running, was_ready = unpack(call('HMGET', key_source, 'running', 'ready'))
  if not running then return end
  local waiting = waiting_work()
  running = math.max(0, (tonumber(running) or 0) + running_by)
  call('HSET', key_source, 'running', running, 'left', running + waiting)
  if came > 0 then call('HINCRBY', key_source, 'seq', came) end
  order.keep({hash = key_source, ready = key_ready, wake = key_wake, source = 'idoit:' .. arg_pool}, waiting > 0,
    was_ready == '1', idle)
end
