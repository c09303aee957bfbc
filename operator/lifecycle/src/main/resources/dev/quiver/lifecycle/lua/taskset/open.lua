-- Creates a TaskSet, or finds it. Guarantee: idempotent for a uid; refused under a tombstone and to a stale leader.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term, changes)
-- KEYS sets: uids that have keys
-- KEYS tombstone: left by drop
-- KEYS source: hash of the TaskSet
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- KEYS order: of the tasks that are given out
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: uid of the TaskSet
-- ARGV pool: name of its pool
-- ARGV spec: execution spec, JSON
-- ARGV count: 0..9007199254740992; tasks of a cursor source; 0 when fed
-- ARGV fed: 0..1; 1 when payloads are fed, else 0
-- ARGV max_trials: 0..9007199254740992; failed trials that end a task
-- ARGV max_lost: 0..9007199254740992; lost workers that end a task
-- ARGV max_failed: -1..9007199254740992; failed tasks that the set survives; 0 for any number, -1 for none
-- ARGV max_workers: 0..9007199254740992; sessions at once; 0 for any number
-- ARGV max_parallel: 0..9007199254740992; tasks at once; 0 for any number
-- ARGV active_deadline: 0..100000000000000; ms from start to failure; 0 for none
-- ARGV priority: -99999..99999; -99999 to 99999
-- ARGV suspended: 1 when it opens suspended
-- ARGV gated: 1 when it names resources: it gives nothing out before it has its place among the pool's sources
-- ARGV waits: 1 when tasks wait while the record has no room
-- ARGV handler: the function without which no task of it can run; empty for commands
-- ARGV source_hash: of its source as it was read, for the status; may be empty
-- ARGV ordered: 0..262144; tasks of its order, which stands there; 0 for none
-- ARGV fresh_ms: 0..9007199254740992; how long all of these take, one after the other
-- ARGV order_error: percent by which the time of a whole run is usually off; may be empty
-- ARGV speculates: 1 when tasks that take long may be held twice
-- ARGV record: how the run is recorded, behind one byte; empty where it is not
-- RETURNS {OK, created: 1 when this call did it, tasks: those known, closed: 1 when the source is} | {BURIED} |
--   {STALE_LEADER, term}
-- USES common/leader ordinals/reports ordinals/readiness common/now history/record
local stale = leader.refusal(c)
if stale then return stale end
if call('EXISTS', key_tombstone) == 1 then return {BURIED} end
local there = call('HMGET', key_source, 'count', 'source_closed')
if there[1] then return {OK, 0, tonumber(there[1]), tonumber(there[2])} end
local status = arg_suspended == '1' and 'suspended' or 'running'
local deadline = tonumber(arg_active_deadline)
local closed = 1 - tonumber(arg_fed)
-- It has none of what ordinals/extras reads.
local plain = arg_gated ~= '1' and arg_ordered == '0' and arg_speculates ~= '1' and arg_record == '' and arg_max_parallel == '0'
call('HSET', key_source, 'spec', arg_spec, 'source_hash', arg_source_hash, 'handler', arg_handler, 'pool', arg_pool,
  'status', status, 'reason', '', 'message', '',
  'max_trials', arg_max_trials, 'max_lost', arg_max_lost, 'max_failed', arg_max_failed,
  'max_workers', arg_max_workers, 'max_parallel', arg_max_parallel, 'priority', arg_priority, 'virtual_time', 0, 'ready', 0,
  'active_deadline', arg_active_deadline,
  'deadline_at', status == 'running' and deadline > 0 and now + deadline or 0,
  'created_at', now, 'started_at', status == 'running' and now or 0, 'finished_at', 0, 'progress_at', 0,
  'plain', plain and 1 or 0, 'fed', arg_fed, 'count', arg_count, 'cursor', 0, 'source_closed', closed, 'max_payload', 0,
  'left', arg_count, 'running', 0, 'delayed', 0, 'succeeded_count', 0, 'pending_count', 0, 'failed_count', 0, 'lost_count', 0, 'trials', 0,
  'run_ms', 0, 'passed_ms', 0, 'ended_samples', 0)
local ordered = tonumber(arg_ordered)
if ordered > 0 and call('STRLEN', key_order) == ordered * 12 then -- one that was cut short is none
  call('HSET', key_source, 'ordered', ordered, 'fresh_ms', arg_fresh_ms, 'order_ms', arg_fresh_ms,
    'order_error', arg_order_error)
end
if arg_speculates == '1' then call('HSET', key_source, 'speculates', 1) end
if arg_gated == '1' then call('HSET', key_source, 'gate', '') end
if arg_record ~= '' then
  call('HSET', key_source, 'recorded', arg_waits == '1' and 'w' or 's', 'not_recorded', 0)
  record.is_read(c)
  record.append(c, 'k', 'o', 'u', arg_source, 't', now, 'b', record.body(arg_record))
end
call('SADD', key_sets, arg_source)
call('PERSIST', key_meta) -- as retire may have left it
local claimable = readiness.claimable({left = tonumber(arg_count), running = 0, max_parallel = tonumber(arg_max_parallel)})
readiness.update(c, status, claimable, tonumber(arg_max_workers), false)
reports.changed(c)
return {OK, 1, tonumber(arg_count), closed}
