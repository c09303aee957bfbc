-- Lets a keyspace's identity expire that nothing uses any more. Guarantee: not while a TaskSet, a tree of Tasks or a
-- schedule has keys there, or the record of one goes on; open, announce and observe take it back, so it never expires in
-- use; idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS sets: uids that have keys
-- KEYS trees: trees of Tasks
-- KEYS schedules: schedules of Tasks
-- KEYS records: runs of trees whose record goes on
-- KEYS states: what complex tasks keep, which goes with it
-- KEYS state_names: their names
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV age: 0..100000000000000; ms until it is gone
-- RETURNS {OK} | {NOTHING} when one of them has keys | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
for _, used in ipairs({key_sets, key_trees, key_schedules, key_records}) do
  if call('EXISTS', used) == 1 then return {NOTHING} end
end
for _, going in ipairs({key_states, key_state_names, key_meta}) do call('PEXPIRE', going, arg_age) end
return {OK}
