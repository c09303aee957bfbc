-- A pool's tasks of the wire as one of its sources, in the own keyspace. `iterations` has the iterators that are to be called
-- and the command that asks for it; `iterating` those that are being called, with session, call and command.
-- KEYS source: hash of the source (prefix, types, and the fields of every source)
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- KEYS iterations: iterator to <ms at which its lock lapses>/<command that asks to call it>
-- ARGV pool: its name, also on the wire
-- USES idoit/wire common/now common/decimal worker/ready
-- MODULE idoit_source
function idoit_source.due_commands(c) return call('ZCOUNT', idoit.key(c, c.arg_pool .. ':commands'), '-inf', decimal.of(c.now)) end
function idoit_source.waiting_work(c)
  return call('SCARD', idoit.key(c, c.arg_pool .. ':startable')) + call('HLEN', c.key_iterations) + idoit_source.due_commands(c)
end
-- Call it last. `idle`: nothing was given out, and nothing changed. `did`: see pace; it may be left out.
function idoit_source.keep(c, running_by, came, idle, did)
  order.keep_counted({hash = c.key_source, ready = c.key_ready, wake = c.key_wake, source = 'idoit:' .. c.arg_pool},
    function() return idoit_source.waiting_work(c) end, running_by, came, idle, c.now, did)
end
