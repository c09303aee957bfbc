-- The seed's slaves in its words, for people's own SQL: one for each slot of a worker that took part in a run.
CREATE VIEW quiver_slaves AS
  SELECT r.namespace, r.kind, r.name, r.uid, w.pool, w.pod, w.node, s.slot,
    CASE WHEN s.exit_status IS NULL THEN NULL WHEN s.exit_status = 'closed' THEN 'normal_exit'
      WHEN s.exit_status = 'lease ended' THEN 'timeout_exit' ELSE 'failure_exit' END AS status,
    to_timestamp(s.opened_at / 1000.0) AS started_at,
    to_timestamp(s.closed_at / 1000.0) AS finished_at
  FROM slaves s JOIN runs r ON r.id = s.run_id JOIN workers w ON w.id = s.worker_id WHERE r.removed = 0;

-- Passes of a row of that table: of a step (version 1), or of a sealed block (2). PassBlock has both formats.
CREATE FUNCTION quiver_passes(packed BYTEA, of_worker BIGINT, base_at BIGINT)
  RETURNS TABLE (task BIGINT, worker_id BIGINT, slot INTEGER, finished_at BIGINT, run_ms BIGINT)
  LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  bytes BYTEA := packed || ''::BYTEA; -- unpacks what the table has compressed, once
  sealed BOOLEAN := get_byte(packed, 0) = 2;
  place INTEGER := 1;
  octet_field INTEGER := 0; -- no number has it: the first one read is how many follow
  fields BIGINT[] := ARRAY[0, 0, 0, 0, 0];
  total BIGINT;
  at_task BIGINT := 0;
  value BIGINT;
  shift INTEGER;
  octet INTEGER;
BEGIN
  IF get_byte(packed, 0) NOT IN (1, 2) THEN
    RAISE EXCEPTION 'passes of version %, which this function does not know', get_byte(packed, 0);
  END IF;
  FOR i IN 0 .. 2147483646 LOOP
    FOR field IN 1 .. CASE WHEN i = 0 THEN 1 WHEN sealed THEN 5 ELSE 4 END LOOP
      IF field = octet_field THEN
        value := get_byte(bytes, place);
        place := place + 1;
      ELSE
        value := 0;
        shift := 0;
        LOOP
          octet := get_byte(bytes, place);
          place := place + 1;
          value := value | ((octet & 127)::BIGINT << shift);
          EXIT WHEN octet < 128;
          shift := shift + 7;
        END LOOP;
      END IF;
      fields[field] := value;
    END LOOP;
    IF i = 0 THEN
      total := fields[1];
      octet_field := CASE WHEN sealed THEN 3 ELSE 1 END;
    ELSIF sealed THEN
      at_task := at_task + ((fields[1] >> 1) # -(fields[1] & 1));
      task := at_task;
      worker_id := fields[2];
      slot := (fields[3] & 63)::INTEGER;
      finished_at := base_at + ((fields[4] >> 1) # -(fields[4] & 1));
      run_ms := fields[5];
      RETURN NEXT;
    ELSE
      at_task := at_task + ((fields[2] >> 1) # -(fields[2] & 1));
      task := at_task;
      worker_id := of_worker;
      slot := (fields[1] & 63)::INTEGER;
      finished_at := base_at - fields[3];
      run_ms := fields[4];
      RETURN NEXT;
    END IF;
    EXIT WHEN i >= total;
  END LOOP;
END $$;

-- Trials of the tasks from_task to to_task of the run with this uid: for people's own SQL, and stays as it is.
CREATE FUNCTION quiver_trials(run TEXT, from_task BIGINT DEFAULT 0, to_task BIGINT DEFAULT 9223372036854775807)
  RETURNS TABLE (task BIGINT, trial BIGINT, status TEXT, pod TEXT, node TEXT, slot INTEGER, started_at TIMESTAMPTZ,
    finished_at TIMESTAMPTZ, seconds DOUBLE PRECISION, exit_code BIGINT, signal BIGINT, reason TEXT, message TEXT,
    cpu_seconds DOUBLE PRECISION, max_rss_kib BIGINT)
  LANGUAGE sql STABLE AS $$
  SELECT t.task, t.trial::BIGINT,
    (ARRAY['passed', 'pending', 'failed', 'error', 'timeout', 'lost', 'cancelled'])[t.status + 1], w.pod, w.node,
    t.slot::INTEGER, to_timestamp(t.started_at / 1000.0), to_timestamp(t.finished_at / 1000.0),
    t.run_ms / 1000.0::FLOAT8, t.exit_code::BIGINT, t.signal::BIGINT, t.reason, t.message, t.cpu_ms / 1000.0::FLOAT8, t.max_rss_kib::BIGINT
  FROM runs r JOIN trials t ON t.run_id = r.id LEFT JOIN workers w ON w.id = t.worker_id
  WHERE r.uid = quiver_trials.run AND r.removed = 0
    AND t.task BETWEEN quiver_trials.from_task AND quiver_trials.to_task
  UNION ALL
  SELECT p.task, 1, 'passed', w.pod, w.node, p.slot, to_timestamp((p.finished_at - p.run_ms) / 1000.0),
    to_timestamp(p.finished_at / 1000.0), p.run_ms / 1000.0::FLOAT8, NULL, NULL, NULL, NULL, NULL, NULL
  FROM (
    SELECT DISTINCT ON (u.task) u.task, u.worker_id, u.slot, u.finished_at, u.run_ms
    FROM runs r JOIN passes b ON b.run_id = r.id AND b.first_task <= quiver_trials.to_task
        AND b.last_task >= quiver_trials.from_task
      CROSS JOIN LATERAL quiver_passes(b.packed, b.worker_id, b.base_at) u
    WHERE r.uid = quiver_trials.run AND r.removed = 0
      AND u.task BETWEEN quiver_trials.from_task AND quiver_trials.to_task
    ORDER BY u.task, u.finished_at DESC) p
    LEFT JOIN workers w ON w.id = p.worker_id
  ORDER BY 1, 2
$$;
