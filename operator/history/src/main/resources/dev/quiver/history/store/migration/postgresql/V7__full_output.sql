-- Where all of a trial's stdout and stderr lies in packs: the last pack, bytes before the member, length.
ALTER TABLE trials ADD COLUMN stdout_pack TEXT;
ALTER TABLE trials ADD COLUMN stdout_at BIGINT;
ALTER TABLE trials ADD COLUMN stdout_len BIGINT;
ALTER TABLE trials ADD COLUMN stderr_pack TEXT;
ALTER TABLE trials ADD COLUMN stderr_at BIGINT;
ALTER TABLE trials ADD COLUMN stderr_len BIGINT;
