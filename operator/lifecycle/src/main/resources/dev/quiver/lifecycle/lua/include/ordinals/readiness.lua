-- Keeps the source in its pool's order while it runs, has tasks to claim, and has room for a worker.
-- MODULE readiness
-- USES worker/ready
-- `idle` as in `order.keep`; it may be left out.
function readiness.update(c, status, claimable, max_workers, was_ready, idle)
  local want = status == 'running' and claimable > 0
    and (max_workers == 0 or call('ZCARD', c.key_source_sessions) < max_workers)
  order.keep({source = c.arg_source, hash = c.key_source, ready = c.key_ready, wake = c.key_wake}, want, was_ready, idle)
end
