-- Appends tasks with their payloads to a fed source. Guarantee: idempotent by offset; what is known is skipped.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term, changes)
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sources with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS source_sessions: sessions that work at the source
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- KEYS reports: where the source reports its changes
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV source: its name in the pool's order
-- ARGV offset: 0..9007199254740992; ordinal of the first payload
-- ARGV last: 0..1; 1 closes the source
-- ARGV max_payload: 0..9007199254740992; bytes of the longest payload of this call
-- ARGV names: those of these tasks for the record, behind one byte; or empty
-- ARGV payloads...: 0..1000; at most 200
-- RETURNS {OK, known: tasks} | {GAP, known: tasks} | {CLOSED} | {GONE} | {STALE_LEADER, term}
-- USES common/leader ordinals/reports ordinals/readiness ordinals/closing common/now ordinals/outcome
-- USES history/record
local stale = leader.refusal(c)
if stale then return stale end
-- FIELDS source: status, source_closed, ready, fed, recorded
--   numbers: count, left, running, max_payload, max_workers, max_parallel, failed_count, delayed, cursor, ordered,
--   offered
if not source.status then return {GONE} end
if source.source_closed == '1' or source.fed ~= '1' or (source.status ~= 'running' and source.status ~= 'suspended') then return {CLOSED} end
if not (source.count and source.left and source.running and source.max_payload and source.max_workers and source.failed_count) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
local offset, given = tonumber(arg_offset), #ARGV - arg_payloads + 1
if offset > source.count then return {GAP, source.count} end
local skip = source.count - offset
local rows = {}
for i = skip, given - 1 do
  rows[#rows + 1] = source.count
  rows[#rows + 1] = ARGV[arg_payloads + i]
  source.count, source.left = source.count + 1, source.left + 1
end
if #rows > 0 then
  call('HSET', key_payload, unpack(rows))
  if source.recorded and arg_names ~= '' and record.level(c) < record.FULL then
    record.append(c, 'k', 'n', 'u', arg_source, 't', now, 'b', record.body(arg_names))
  end
end
call('HSET', key_source, 'count', source.count, 'left', source.left, 'source_closed', arg_last,
  'max_payload', math.max(source.max_payload, tonumber(arg_max_payload)))
-- Feeding fails no task, so it cannot be the one too many: no bound is asked for.
local over, reason = outcome.of(source.left, source.failed_count, 0, arg_last == '1')
if over then
  source.status = over
  closing.finish(c, source.status, reason, '')
end
source.source_closed, source.cursor = arg_last, source.cursor or 0
readiness.update(c, source.status, readiness.claimable(source), source.max_workers, source.ready == '1', false, source.offered)
reports.changed(c)
return {OK, source.count}
