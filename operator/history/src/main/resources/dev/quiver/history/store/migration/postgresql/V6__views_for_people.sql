-- For people's own SQL, as for Grafana: these views stay as they are, tables do not.
CREATE VIEW quiver_runs AS
  SELECT r.namespace, r.kind, r.name, r.uid, c.name AS class, r.pool, COALESCE(r.status, 'running') AS status, r.reason,
    to_timestamp(r.created_at / 1000.0) AS created_at, to_timestamp(r.started_at / 1000.0) AS started_at,
    to_timestamp(r.finished_at / 1000.0) AS finished_at, (r.finished_at - r.started_at) / 1000.0 AS seconds, r.tasks,
    r.succeeded_count AS succeeded, r.pending_count AS pending, r.failed_count AS failed, r.trials, r.lost,
    r.run_ms / 60000.0 AS task_minutes, r.not_recorded
  FROM runs r LEFT JOIN classes c ON c.id = r.class_id WHERE r.removed = 0;

-- How long the slots of each worker were busy with a run. Passes of a sealed run are summed up by worker, others by step.
CREATE VIEW quiver_worker_minutes AS
  SELECT r.namespace, r.kind, r.name, r.uid, w.pool, w.pod, w.node,
    (CASE WHEN r.sealed = 1 THEN COALESCE(rw.run_ms, 0) ELSE COALESCE(p.ms, 0) END + COALESCE(t.ms, 0)) / 60000.0 AS minutes
  FROM run_workers rw JOIN runs r ON r.id = rw.run_id JOIN workers w ON w.id = rw.worker_id
    LEFT JOIN (SELECT run_id, worker_id, SUM(ms_sum) AS ms FROM passes GROUP BY run_id, worker_id) p
      ON p.run_id = rw.run_id AND p.worker_id = rw.worker_id
    LEFT JOIN (SELECT run_id, worker_id, SUM(run_ms) AS ms FROM trials GROUP BY run_id, worker_id) t
      ON t.run_id = rw.run_id AND t.worker_id = rw.worker_id
  WHERE r.removed = 0;
