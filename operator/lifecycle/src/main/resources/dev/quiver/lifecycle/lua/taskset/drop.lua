-- Deletes every key of a TaskSet and leaves a tombstone. Guarantee: all or, when a session is missing among those
-- given, nothing but the tombstone and the end of the set, so that nobody joins before the next try; idempotent. What is
-- too large is refused before it is copied.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS sets: uids that have keys
-- KEYS tombstone: refuses the uid for a while
-- KEYS source: hash of the TaskSet
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sets with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS failures: sample
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS ranks: the order of its pool's Tasks
-- KEYS reports: where the source reports its changes
-- KEYS pages: of a program's own source, the list that it wrote
-- KEYS of_sessions...: 0..131072; for each session given, what it holds of the set, then its hash
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: uid of the TaskSet
-- ARGV tombstone_ms: 1..100000000000000; how long the tombstone stays
-- ARGV most: 0..65536; sessions at most
-- ARGV ids...: 0..65536; sessions
-- RETURNS {OK} | {AGAIN} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader ordinals/erasure common/now
local stale = leader.refusal(c)
if stale then return stale end
call('SET', key_tombstone, 1, 'PX', arg_tombstone_ms)
local given = {}
for i = arg_ids, #ARGV do given[ARGV[i]] = true end
local answer = erasure.erase(c, given, KEYS, key_of_sessions)
if answer then return answer end
call('UNLINK', key_pages)
call('SREM', key_sets, arg_source)
return {OK}
