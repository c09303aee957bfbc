-- Deletes every key of the source of a node that is forgotten. Guarantee: all or, when a session is missing among those
-- given, only the end of the source, so that nobody joins before the next try; idempotent.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS commands: commands on trees
-- KEYS meta: hash of the keyspace (history_bytes, history_most)
-- KEYS delayed: sources with delayed tasks
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS failures: sample
-- KEYS results: id to result
-- KEYS combines: id of a combine to how many of its children have ended
-- KEYS skipped: tasks that were given up
-- KEYS feeding: nodes whose chunks come, or wait for memory
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS ranks: the order of its pool's Tasks
-- KEYS reports: where the source reports its changes
-- KEYS of_sessions...: 0..131072; for each session given, what it holds of the source, then its hash
-- ARGV command: that asks for it
-- ARGV source: its name in the pool's order
-- ARGV most: 0..65536; sessions at most
-- ARGV ids...: 0..65536; sessions
-- RETURNS {OK, taken: 1 when this call took the command} | {AGAIN} | {TOO_LARGE, words}
-- USES ordinals/erasure common/now
if not call('ZSCORE', key_commands, arg_command) then return {OK, 0} end
local given = {}
for i = arg_ids, #ARGV do given[ARGV[i]] = true end
local answer = erasure.erase(c, given, KEYS, key_of_sessions)
if answer then return answer end
call('UNLINK', key_results, key_combines, key_skipped)
call('ZREM', key_feeding, string.match(arg_source, '^chunks:(.*)$') or arg_source)
call('ZREM', key_commands, arg_command)
return {OK, 1}
