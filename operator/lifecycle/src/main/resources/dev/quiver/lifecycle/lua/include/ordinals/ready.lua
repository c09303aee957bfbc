-- Keeps the source in its pool's order while it runs, has tasks to claim, and has room for a worker.
-- `idle` as there; it may be left out. Uses order, key_source, key_source_sessions, key_ready, key_wake, arg_source.
-- USES worker/ready
local function update_ready(status, claimable, max_workers, was_ready, idle)
  local want = status == 'running' and claimable > 0
    and (max_workers == 0 or call('ZCARD', key_source_sessions) < max_workers)
  order.keep({source = arg_source, hash = key_source, ready = key_ready, wake = key_wake}, want, was_ready, idle)
end
