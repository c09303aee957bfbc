-- Results that are too large for their trial's row: one row each, at the number of unpacked bytes before it.
CREATE TABLE pack_members (
  pack TEXT NOT NULL, at INTEGER NOT NULL, format INTEGER NOT NULL, length INTEGER NOT NULL, packed BLOB NOT NULL,
  PRIMARY KEY (pack, at));
CREATE INDEX packs_of_run ON packs (run_id);
