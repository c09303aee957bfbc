-- Tasks that one node of a tree made, in a row of numbers: NodeRange. Their names follow from it.
CREATE TABLE node_ranges (
  run_id BIGINT NOT NULL, first BIGINT NOT NULL, kind INTEGER NOT NULL, parent BIGINT NOT NULL, n BIGINT NOT NULL,
  stride BIGINT NOT NULL, origin BIGINT NOT NULL, PRIMARY KEY (run_id, first));
CREATE INDEX node_ranges_of_parent ON node_ranges (run_id, parent);
