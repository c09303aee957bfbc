-- The record of runs. Numbers of time are milliseconds since 1970. Migrations only add.
CREATE TABLE classes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (namespace, name));

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, keyspace TEXT NOT NULL, uid TEXT NOT NULL, kind TEXT NOT NULL,
  namespace TEXT NOT NULL, namespace_uid TEXT, name TEXT NOT NULL, parent_run TEXT, parent_task INTEGER,
  fired_at INTEGER, class_id INTEGER, pool TEXT, labels TEXT, spec BLOB, source_hash TEXT, status TEXT, reason TEXT,
  message TEXT, created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, tasks INTEGER,
  succeeded_count INTEGER, pending_count INTEGER, failed_count INTEGER, trials INTEGER, lost INTEGER, run_ms INTEGER,
  run_ms_histogram BLOB, not_recorded INTEGER, rewound INTEGER NOT NULL DEFAULT 0, eta_error_50 INTEGER, log BLOB,
  keep_days INTEGER, keep_runs INTEGER, forget_on_delete INTEGER, sealed INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0, output_removed INTEGER NOT NULL DEFAULT 0,
  UNIQUE (keyspace, uid));
CREATE INDEX runs_newest ON runs (namespace, created_at, id);
CREATE INDEX runs_named ON runs (namespace, name, created_at, id);
CREATE INDEX runs_of_class ON runs (class_id, created_at, id);
CREATE INDEX runs_unsealed ON runs (sealed, finished_at);

CREATE TABLE nodes (
  run_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, parent INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  state TEXT NOT NULL, first INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (run_id, ordinal)) WITHOUT ROWID;
CREATE INDEX nodes_of_parent ON nodes (run_id, parent, ordinal);

CREATE TABLE workers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, keyspace TEXT NOT NULL, session TEXT NOT NULL, pool TEXT, pod TEXT,
  pod_uid TEXT, node TEXT, slots INTEGER, speed INTEGER, opened_at INTEGER, closed_at INTEGER, ended TEXT,
  UNIQUE (keyspace, session));

CREATE TABLE run_workers (
  run_id INTEGER NOT NULL, worker_id INTEGER NOT NULL, passed INTEGER, run_ms INTEGER, first_at INTEGER,
  last_at INTEGER, PRIMARY KEY (run_id, worker_id)) WITHOUT ROWID;

CREATE TABLE worker_logs (
  run_id INTEGER NOT NULL, worker_id INTEGER NOT NULL, started_at INTEGER, rsync_finished_at INTEGER,
  setup_finished_at INTEGER, finished_at INTEGER, reason TEXT, log BLOB, pack TEXT,
  PRIMARY KEY (run_id, worker_id));

CREATE TABLE passes (
  run_id INTEGER NOT NULL, worker_id INTEGER NOT NULL, call INTEGER NOT NULL, first_task INTEGER NOT NULL,
  last_task INTEGER NOT NULL, n INTEGER NOT NULL, base_at INTEGER NOT NULL, ms_sum INTEGER NOT NULL,
  ms_max INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (run_id, worker_id, call)) WITHOUT ROWID;
CREATE INDEX passes_of_worker ON passes (worker_id, base_at);
CREATE INDEX passes_by_task ON passes (run_id, first_task);

CREATE TABLE trials (
  run_id INTEGER NOT NULL, task INTEGER NOT NULL, trial INTEGER NOT NULL, copy INTEGER NOT NULL,
  status INTEGER NOT NULL, worker_id INTEGER NOT NULL, slot INTEGER NOT NULL, started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL, run_ms INTEGER NOT NULL, exit_code INTEGER, signal INTEGER, reason TEXT, message TEXT,
  passed INTEGER, pending INTEGER, failed INTEGER, cpu_ms INTEGER, max_rss_kib INTEGER, stdout BLOB, stderr BLOB,
  out_bytes INTEGER, output_cut INTEGER NOT NULL DEFAULT 0, result BLOB, result_format INTEGER, pack TEXT,
  pack_at INTEGER, pack_len INTEGER, PRIMARY KEY (run_id, task, trial, copy)) WITHOUT ROWID;

CREATE TABLE tasks (
  run_id INTEGER NOT NULL, task INTEGER NOT NULL, status INTEGER NOT NULL, trials INTEGER NOT NULL,
  estimate_sec INTEGER, run_ms INTEGER NOT NULL, reason TEXT, over INTEGER NOT NULL,
  PRIMARY KEY (run_id, task)) WITHOUT ROWID;
CREATE INDEX tasks_by_status ON tasks (run_id, status, task);
CREATE INDEX tasks_by_time ON tasks (run_id, run_ms, task);

CREATE TABLE cases (
  run_id INTEGER NOT NULL, task INTEGER NOT NULL, trial INTEGER NOT NULL, n INTEGER NOT NULL, name TEXT NOT NULL,
  status INTEGER NOT NULL, ms INTEGER, message TEXT, PRIMARY KEY (run_id, task, trial, n)) WITHOUT ROWID;

CREATE TABLE packs (
  id TEXT PRIMARY KEY, run_id INTEGER NOT NULL, worker_id INTEGER NOT NULL, bytes INTEGER NOT NULL,
  stored_at INTEGER NOT NULL);

CREATE TABLE names (
  namespace TEXT NOT NULL, source_hash TEXT NOT NULL, first_task INTEGER NOT NULL, n INTEGER NOT NULL,
  packed BLOB NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (namespace, source_hash, first_task));

CREATE TABLE tests (
  class_id INTEGER NOT NULL, name TEXT NOT NULL, log_mean REAL, n INTEGER, ran INTEGER, hurt INTEGER, last_run INTEGER,
  PRIMARY KEY (class_id, name)) WITHOUT ROWID;

CREATE TABLE unread (
  id INTEGER PRIMARY KEY AUTOINCREMENT, keyspace TEXT NOT NULL, entry TEXT NOT NULL, uid TEXT, kind TEXT,
  fields BLOB NOT NULL, error TEXT NOT NULL, stored_at INTEGER NOT NULL, UNIQUE (keyspace, entry));

-- The seed's slaves: one for each slot of a worker that took part in a run.
CREATE VIEW slaves AS
  WITH RECURSIVE numbers (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM numbers WHERE slot < 63)
  SELECT rw.run_id, rw.worker_id, numbers.slot, w.pod, w.node, w.opened_at, w.closed_at, w.ended AS exit_status
  FROM run_workers rw JOIN workers w ON w.id = rw.worker_id JOIN numbers ON numbers.slot < COALESCE(w.slots, 1);
