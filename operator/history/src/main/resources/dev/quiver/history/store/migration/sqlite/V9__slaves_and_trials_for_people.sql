-- The seed's slaves in its words, for people's own SQL: one for each slot of a worker that took part in a run.
CREATE VIEW quiver_slaves AS
  SELECT r.namespace, r.kind, r.name, r.uid, w.pool, w.pod, w.node, s.slot,
    CASE WHEN s.exit_status IS NULL THEN NULL WHEN s.exit_status = 'closed' THEN 'normal_exit'
      WHEN s.exit_status = 'lease ended' THEN 'timeout_exit' ELSE 'failure_exit' END AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.opened_at / 1000.0, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.closed_at / 1000.0, 'unixepoch') AS finished_at
  FROM slaves s JOIN runs r ON r.id = s.run_id JOIN workers w ON w.id = s.worker_id WHERE r.removed = 0;
