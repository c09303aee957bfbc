-- Size of a result that was too large to be kept.
ALTER TABLE trials ADD COLUMN result_bytes BIGINT;
