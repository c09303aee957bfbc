-- Keeps the source in its pool's order while it runs, has tasks to claim, and has room for a worker.
-- MODULE readiness
-- USES worker/ready
-- How many tasks a worker may take now, also where they would take a slow one too long. `max_parallel`: tasks at once; 0 or
-- nothing for any number. A source with an order gives out none that nobody had yet before all of them are known.
function readiness.claimable(source)
  local claimable, most = source.left - source.running - (source.delayed or 0), source.max_parallel or 0
  if source.ordered and source.ordered > 0 and source.source_closed ~= '1' then
    claimable = claimable - (source.count - source.cursor - (source.tail or 0))
  end
  return most > 0 and math.max(0, math.min(claimable, most - source.running - (source.copies or 0))) or claimable
end
-- `idle` as in `order.keep`, `offered`: tasks that may be held twice; both may be left out.
function readiness.update(c, status, claimable, max_workers, was_ready, idle, offered)
  local want = status == 'running' and (claimable > 0 or (offered or 0) > 0)
    and (max_workers == 0 or call('ZCARD', c.key_source_sessions) < max_workers)
  order.keep({source = c.arg_source, hash = c.key_source, ready = c.key_ready, wake = c.key_wake}, want, was_ready, idle)
end
