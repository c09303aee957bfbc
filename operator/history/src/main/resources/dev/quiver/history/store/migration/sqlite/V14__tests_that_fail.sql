-- A bit for each of the last 64 runs, as of ran and hurt: whether the test failed in it. Runs of before tell nothing.
ALTER TABLE tests ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
