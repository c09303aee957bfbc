-- The removal of a run looks for workers that no other run names. Without it each worker is compared with those of all
-- runs.
CREATE INDEX run_workers_of_worker ON run_workers (worker_id);
