-- Changes the mutable limits of a TaskSet. Guarantee: idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS source: hash of the TaskSet
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: uid of the TaskSet
-- ARGV max_workers: 0..9007199254740992; sessions at once; 0 for any number
-- ARGV max_parallel: 0..9007199254740992; tasks at once; 0 for any number
-- ARGV active_deadline: 0..100000000000000; ms from start to failure; 0 for none
-- RETURNS {OK} | {GONE} | {STALE_LEADER, term}
-- USES common/leader ordinals/readiness
local stale = leader.refusal(c)
if stale then return stale end
-- FIELDS source: status, ready numbers: left, running, started_at, delayed, offered
if not source.status then return {GONE} end
source.left, source.running, source.started_at = source.left or 0, source.running or 0, source.started_at or 0
local active, deadline_at = tonumber(arg_active_deadline), 0
if active > 0 and source.status == 'running' then deadline_at = source.started_at + active end
source.max_parallel = tonumber(arg_max_parallel)
call('HSET', key_source, 'max_workers', arg_max_workers, 'max_parallel', arg_max_parallel, 'active_deadline', arg_active_deadline,
  'deadline_at', deadline_at)
if source.max_parallel > 0 then call('HSET', key_source, 'plain', 0) end
readiness.update(c, source.status, readiness.claimable(source), tonumber(arg_max_workers), source.ready == '1', false, source.offered)
return {OK}
