-- Runs of a class that tests remember: a run's number is the count when it was added. A run is added once.
ALTER TABLE classes ADD COLUMN runs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN remembered BIGINT NOT NULL DEFAULT 0;
CREATE INDEX tests_slowest ON tests (class_id, log_mean);
