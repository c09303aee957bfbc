-- Keeps the source of a script in its pool's order (see ordinals/standing).
-- MODULE readiness
-- USES ordinals/standing
function readiness.claimable(source) return standing.claimable(source) end
function readiness.update(c, status, claimable, max_workers, was_ready, idle, offered)
  standing.keep({source = c.arg_source, hash = c.key_source, ready = c.key_ready, wake = c.key_wake, sessions = c.key_source_sessions},
    status, claimable, max_workers, was_ready, idle, offered)
end
