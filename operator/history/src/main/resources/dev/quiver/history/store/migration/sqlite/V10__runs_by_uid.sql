-- A page of a run finds its run by namespace and uid, which the unique pair of keyspace and uid does not serve. The
-- columns behind them are the answer's order: without them SQLite prefers runs_newest and reads all runs.
CREATE INDEX runs_by_uid ON runs (namespace, uid, created_at, id);
