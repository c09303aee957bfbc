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
-- RETURNS {OK, status, changed 0|1} | {GONE} | {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/now common/bounds
-- INCLUDE common/leader
-- INCLUDE ordinals/changed
-- INCLUDE ordinals/finish
-- INCLUDE ordinals/ready
local words = bounds.fields(key_source, 'status', 'left', 'running', 'max_workers', 'ready', 'active_deadline',
  'deadline_at', 'delayed')
if words then return {TOO_LARGE, words} end
-- FIELDS source: status, ready
--   numbers: left, running, max_workers, active_deadline, deadline_at, delayed
if not status then return {GONE} end
left, running, max_workers, active_deadline, deadline_at = left or 0, running or 0, max_workers or 0, active_deadline or 0, deadline_at or 0
if status ~= 'running' and status ~= 'suspended' then return {OK, status, 0} end
local before = status
if arg_what == 'cancel' then
  status = 'cancelled'
  finish(status, 'Cancelled', '')
elseif arg_what == 'fail' then
  status = 'failed'
  finish(status, arg_reason, arg_message)
elseif arg_what == 'expire' and deadline_at > 0 and now >= deadline_at then
  status = 'failed'
  finish(status, 'DeadlineExceeded', '')
elseif arg_what == 'suspend' and status == 'running' then
  status = 'suspended'
  call('HSET', key_source, 'status', status, 'deadline_at', 0)
elseif arg_what == 'resume' and status == 'suspended' then
  status = 'running'
  call('HSET', key_source, 'status', status, 'started_at', now,
    'deadline_at', active_deadline > 0 and now + active_deadline or 0)
end
if status == before then return {OK, status, 0} end
update_ready(status, left - running - (delayed or 0), max_workers, ready == '1')
changed()
return {OK, status, 1}
