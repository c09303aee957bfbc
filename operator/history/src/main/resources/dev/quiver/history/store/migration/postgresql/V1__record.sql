-- The record of runs. Numbers of time are milliseconds since 1970. Migrations only add.
CREATE TABLE classes (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, namespace TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (namespace, name));

CREATE TABLE runs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, keyspace TEXT NOT NULL, uid TEXT NOT NULL, kind TEXT NOT NULL,
  namespace TEXT NOT NULL, namespace_uid TEXT, name TEXT NOT NULL, parent_run TEXT, parent_task BIGINT,
  fired_at BIGINT, class_id BIGINT, pool TEXT, labels TEXT, spec BYTEA, source_hash TEXT, status TEXT, reason TEXT,
  message TEXT, created_at BIGINT NOT NULL, started_at BIGINT, finished_at BIGINT, tasks BIGINT,
  succeeded_count BIGINT, pending_count BIGINT, failed_count BIGINT, trials BIGINT, lost BIGINT, run_ms BIGINT,
  run_ms_histogram BYTEA, not_recorded BIGINT, rewound BIGINT NOT NULL DEFAULT 0, eta_error_50 BIGINT, log BYTEA,
  keep_days BIGINT, keep_runs BIGINT, forget_on_delete BIGINT, sealed BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0, removed BIGINT NOT NULL DEFAULT 0, output_removed BIGINT NOT NULL DEFAULT 0,
  UNIQUE (keyspace, uid));
CREATE INDEX runs_newest ON runs (namespace, created_at, id);
CREATE INDEX runs_named ON runs (namespace, name, created_at, id);
CREATE INDEX runs_of_class ON runs (class_id, created_at, id);
CREATE INDEX runs_unsealed ON runs (sealed, finished_at);

CREATE TABLE nodes (
  run_id BIGINT NOT NULL, ordinal BIGINT NOT NULL, parent BIGINT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  state TEXT NOT NULL, first BIGINT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (run_id, ordinal));
CREATE INDEX nodes_of_parent ON nodes (run_id, parent, ordinal);

CREATE TABLE workers (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, keyspace TEXT NOT NULL, session TEXT NOT NULL, pool TEXT, pod TEXT,
  pod_uid TEXT, node TEXT, slots BIGINT, speed BIGINT, opened_at BIGINT, closed_at BIGINT, ended TEXT,
  UNIQUE (keyspace, session));

CREATE TABLE run_workers (
  run_id BIGINT NOT NULL, worker_id BIGINT NOT NULL, passed BIGINT, run_ms BIGINT, first_at BIGINT,
  last_at BIGINT, PRIMARY KEY (run_id, worker_id));

CREATE TABLE worker_logs (
  run_id BIGINT NOT NULL, worker_id BIGINT NOT NULL, started_at BIGINT, rsync_finished_at BIGINT,
  setup_finished_at BIGINT, finished_at BIGINT, reason TEXT, log BYTEA, pack TEXT,
  PRIMARY KEY (run_id, worker_id));

CREATE TABLE passes (
  run_id BIGINT NOT NULL, worker_id BIGINT NOT NULL, call BIGINT NOT NULL, first_task BIGINT NOT NULL,
  last_task BIGINT NOT NULL, n BIGINT NOT NULL, base_at BIGINT NOT NULL, ms_sum BIGINT NOT NULL,
  ms_max BIGINT NOT NULL, packed BYTEA NOT NULL, PRIMARY KEY (run_id, worker_id, call));
CREATE INDEX passes_of_worker ON passes (worker_id, base_at);
CREATE INDEX passes_by_task ON passes (run_id, first_task);

CREATE TABLE trials (
  run_id BIGINT NOT NULL, task BIGINT NOT NULL, trial INTEGER NOT NULL, copy SMALLINT NOT NULL,
  status BIGINT NOT NULL, worker_id BIGINT NOT NULL, slot SMALLINT NOT NULL, started_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL, run_ms BIGINT NOT NULL, exit_code SMALLINT, signal SMALLINT, reason TEXT, message TEXT,
  passed BIGINT, pending BIGINT, failed BIGINT, cpu_ms BIGINT, max_rss_kib BIGINT, stdout BYTEA, stderr BYTEA,
  out_bytes BIGINT, output_cut SMALLINT NOT NULL DEFAULT 0, result BYTEA, result_format SMALLINT, pack TEXT,
  pack_at BIGINT, pack_len BIGINT, PRIMARY KEY (run_id, task, trial, copy));

CREATE TABLE tasks (
  run_id BIGINT NOT NULL, task BIGINT NOT NULL, status BIGINT NOT NULL, trials BIGINT NOT NULL,
  estimate_sec BIGINT, run_ms BIGINT NOT NULL, reason TEXT, over BIGINT NOT NULL,
  PRIMARY KEY (run_id, task));
CREATE INDEX tasks_by_status ON tasks (run_id, status, task);
CREATE INDEX tasks_by_time ON tasks (run_id, run_ms, task);

CREATE TABLE cases (
  run_id BIGINT NOT NULL, task BIGINT NOT NULL, trial INTEGER NOT NULL, n BIGINT NOT NULL, name TEXT NOT NULL,
  status BIGINT NOT NULL, ms BIGINT, message TEXT, PRIMARY KEY (run_id, task, trial, n));

CREATE TABLE packs (
  id TEXT PRIMARY KEY, run_id BIGINT NOT NULL, worker_id BIGINT NOT NULL, bytes BIGINT NOT NULL,
  stored_at BIGINT NOT NULL);

CREATE TABLE names (
  namespace TEXT NOT NULL, source_hash TEXT NOT NULL, first_task BIGINT NOT NULL, n BIGINT NOT NULL,
  packed BYTEA NOT NULL, hashes BYTEA NOT NULL, PRIMARY KEY (namespace, source_hash, first_task));

CREATE TABLE tests (
  class_id BIGINT NOT NULL, name TEXT NOT NULL, log_mean DOUBLE PRECISION, n BIGINT, ran BIGINT, hurt BIGINT, last_run BIGINT,
  PRIMARY KEY (class_id, name));

CREATE TABLE unread (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, keyspace TEXT NOT NULL, entry TEXT NOT NULL, uid TEXT, kind TEXT,
  fields BYTEA NOT NULL, error TEXT NOT NULL, stored_at BIGINT NOT NULL, UNIQUE (keyspace, entry));

-- The seed's slaves: one for each slot of a worker that took part in a run.
CREATE VIEW slaves AS
  WITH RECURSIVE numbers (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM numbers WHERE slot < 63)
  SELECT rw.run_id, rw.worker_id, numbers.slot, w.pod, w.node, w.opened_at, w.closed_at, w.ended AS exit_status
  FROM run_workers rw JOIN workers w ON w.id = rw.worker_id JOIN numbers ON numbers.slot < COALESCE(w.slots, 1);
