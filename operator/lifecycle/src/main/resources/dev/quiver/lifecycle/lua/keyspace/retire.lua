-- Lets a keyspace's identity expire that nothing uses any more. Guarantee: not while a TaskSet or a tree of Tasks has keys
-- there; open, announce and observe take it back, so it never expires in use; idempotent.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS sets: uids that have keys
-- KEYS trees: trees of Tasks
-- ARGV term: leader's term
-- ARGV age: ms until it is gone
-- RETURNS {OK} | {NOTHING} when a TaskSet or a tree has keys | {STALE_LEADER, term}
-- INCLUDE common/leader
if call('EXISTS', key_sets) == 1 or call('EXISTS', key_trees) == 1 then return {NOTHING} end
call('PEXPIRE', key_meta, arg_age)
return {OK}
