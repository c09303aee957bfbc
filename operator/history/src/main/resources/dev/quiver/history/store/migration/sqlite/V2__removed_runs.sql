-- Runs that somebody removed: what comes of them later writes nothing.
CREATE TABLE removed_runs (
  keyspace TEXT NOT NULL, uid TEXT NOT NULL, removed_at INTEGER NOT NULL, PRIMARY KEY (keyspace, uid));
CREATE INDEX removed_runs_oldest ON removed_runs (removed_at);
