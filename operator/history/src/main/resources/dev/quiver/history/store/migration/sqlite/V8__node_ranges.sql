-- Tasks that one node of a tree made, in a row of numbers: NodeRange. Their names follow from it.
CREATE TABLE node_ranges (
  run_id INTEGER NOT NULL, first INTEGER NOT NULL, kind INTEGER NOT NULL, parent INTEGER NOT NULL, n INTEGER NOT NULL,
  stride INTEGER NOT NULL, origin INTEGER NOT NULL, PRIMARY KEY (run_id, first)) WITHOUT ROWID;
CREATE INDEX node_ranges_of_parent ON node_ranges (run_id, parent);
