-- Forged times overflow a sum of whole numbers, and with it the view of everybody.
DROP VIEW quiver_worker_minutes;

-- How long the slots of each worker were busy with a run. Passes of a sealed run are summed up by worker, others by step.
CREATE VIEW quiver_worker_minutes AS
  SELECT r.namespace, r.kind, r.name, r.uid, w.pool, w.pod, w.node,
    (CASE WHEN r.sealed = 1 THEN COALESCE(rw.run_ms, 0) ELSE COALESCE(p.ms, 0) END + COALESCE(t.ms, 0)) / 60000.0 AS minutes
  FROM run_workers rw JOIN runs r ON r.id = rw.run_id JOIN workers w ON w.id = rw.worker_id
    LEFT JOIN (SELECT run_id, worker_id, TOTAL(ms_sum) AS ms FROM passes GROUP BY run_id, worker_id) p
      ON p.run_id = rw.run_id AND p.worker_id = rw.worker_id
    LEFT JOIN (SELECT run_id, worker_id, TOTAL(run_ms) AS ms FROM trials GROUP BY run_id, worker_id) t
      ON t.run_id = rw.run_id AND t.worker_id = rw.worker_id
  WHERE r.removed = 0;
