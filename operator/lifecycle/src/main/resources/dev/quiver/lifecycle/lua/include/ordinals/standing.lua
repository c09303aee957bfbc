-- Whether a source of numbered tasks stands in its pool's order: while it runs, has tasks to claim, has room for a worker and
-- waits for no resource.
-- MODULE standing
-- USES worker/ready
-- How many tasks a worker may take now, also where they would take a slow one too long. `max_parallel`: tasks at once; 0 or
-- nothing for any number. A source with an order gives out none that nobody had yet before all of them are known. `gate`: it
-- gives out none while a resource that it names is missing.
function standing.claimable(source)
  if source.gate then return 0 end
  local claimable, most = source.left - source.running - (source.delayed or 0), source.max_parallel or 0
  if source.ordered and source.ordered > 0 and source.source_closed ~= '1' then
    claimable = claimable - (source.count - source.cursor - (source.tail or 0))
  end
  return most > 0 and math.max(0, math.min(claimable, most - source.running - (source.copies or 0))) or claimable
end
-- Keeps it there, or out of it. `at` as in `order.keep`, and the key of the sessions that work at it. `idle` as there,
-- `offered`: tasks that may be held twice; both may be left out. One with a gate was taken out by whoever set that, and says
-- so with `at.gate`.
function standing.keep(at, status, claimable, max_workers, was_ready, idle, offered)
  local want = status == 'running' and (claimable > 0 or (offered or 0) > 0)
    and (max_workers == 0 or call('ZCARD', at.sessions) < max_workers)
  if want and (at.gate or not was_ready and call('HEXISTS', at.hash, 'gate') == 1) then want = false end
  order.keep(at, want, was_ready, idle)
end
