-- Changes a TaskSet's status at the operator's word. Guarantee: a final set stays as it is; idempotent.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term, changes)
-- KEYS source: hash of the TaskSet
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sets with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS source_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: uid of the TaskSet
-- ARGV what: cancel | fail | expire | suspend | resume
-- ARGV reason: with fail
-- ARGV message: with fail
-- RETURNS {OK, status, changed: 0 or 1} | {GONE} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader ordinals/reports ordinals/readiness ordinals/closing common/now common/bounds
local stale = leader.refusal(c)
if stale then return stale end
local words = bounds.fields(key_source, 'status', 'left', 'running', 'max_workers', 'ready', 'active_deadline',
  'deadline_at', 'delayed', 'max_parallel', 'offered')
if words then return {TOO_LARGE, words} end
-- FIELDS source: status, ready
--   numbers: left, running, max_workers, max_parallel, active_deadline, deadline_at, delayed, offered
if not source.status then return {GONE} end
source.left, source.running, source.max_workers, source.active_deadline, source.deadline_at = source.left or 0, source.running or 0, source.max_workers or 0, source.active_deadline or 0, source.deadline_at or 0
if source.status ~= 'running' and source.status ~= 'suspended' then return {OK, source.status, 0} end
local before = source.status
if arg_what == 'cancel' then
  source.status = 'cancelled'
  closing.finish(c, source.status, 'Cancelled', '')
elseif arg_what == 'fail' then
  source.status = 'failed'
  closing.finish(c, source.status, arg_reason, arg_message)
elseif arg_what == 'expire' and source.deadline_at > 0 and now >= source.deadline_at then
  source.status = 'failed'
  closing.finish(c, source.status, 'DeadlineExceeded', '')
elseif arg_what == 'suspend' and source.status == 'running' then
  source.status = 'suspended'
  call('HSET', key_source, 'status', source.status, 'deadline_at', 0)
elseif arg_what == 'resume' and source.status == 'suspended' then
  source.status = 'running'
  call('HSET', key_source, 'status', source.status, 'started_at', now,
    'deadline_at', source.active_deadline > 0 and now + source.active_deadline or 0)
end
if source.status == before then return {OK, source.status, 0} end
readiness.update(c, source.status, readiness.claimable(source), source.max_workers, source.ready == '1', false, source.offered)
reports.changed(c)
return {OK, source.status, 1}
