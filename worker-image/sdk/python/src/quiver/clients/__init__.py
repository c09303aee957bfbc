"""Programs that create tasks, wait for them and read their results, in a keyspace of Redis of their own.

`description` reads the keys, scripts and records from calls.json, which is made from the Java side. `trees` makes the
records of a tree, `exchange` what is said to Redis, whoever carries it: `blocking` or `asynchronous`.
"""
