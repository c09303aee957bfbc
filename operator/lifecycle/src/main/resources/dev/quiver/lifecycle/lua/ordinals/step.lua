-- Settles what a session ran of a source and claims what it has room for. Guarantee: done once for each
-- (session, call); a repeat gives the same answer; every settlement is checked against the fence of its claim.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sources with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS failures: sample
-- KEYS held: what this session holds, id to call@place, # to the last call
-- KEYS source_sessions: sessions that work at the source
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- KEYS reports: where the source reports its changes
-- KEYS meta: hash of the keyspace (changes)
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV source: its name in the pool's order
-- ARGV max_bytes: 0..9007199254740992; payload bytes to give out at most
-- ARGV settles: 0..256; number of settlements
-- ARGV rows...: 0..2048; settlements as (id, call of the claim, kind, run ms, failure or place), then a place for each claim.
--   Kinds: p passed (with a result where the source keeps them), f failed, x failed for good, d<ms> failed and not to be
--   tried again before so many ms, l lost, r returned, m moved
-- RETURNS {OK, status, claimable, member 0|1, executed, verdicts c|t|a|v, a command that may run now or nothing,
--   level of the record or -1, others, (id, place, trial, payload)...}
--   | {CONDEMNED} | {GONE} | {STALE}. Others: -1, or where there is nothing for this session alone a number that grows with
--   the tasks that come and the workers that are lost
-- USES common/now ordinals/outcome history/record history/settlements history/tally
-- INCLUDE worker/live
-- INCLUDE ordinals/changed
-- INCLUDE ordinals/finish
-- INCLUDE ordinals/promote
-- INCLUDE ordinals/ready
-- INCLUDE ordinals/claimed
-- INCLUDE ordinals/source
-- INCLUDE worker/alone
-- FIELDS source: status, fed, source_closed, ready, keeps, recorded
--   numbers: max_trials, max_lost, max_failed, max_workers, deadline_at, max_payload, count, cursor, left, running,
--   delayed, succeeded_count, failed_count, lost_count, trials, run_ms, passed_ms, ended_samples, isolated
if not status then
  call('UNLINK', key_held)
  call('HDEL', key_session, 'set:' .. arg_source)
  if alone.word == 'h ' .. source then call('HDEL', key_session, 'alone') end
  call('ZREM', key_ready, arg_source)
  if call('LLEN', key_wake) == 0 and call('ZCARD', key_ready) > 0 then call('RPUSH', key_wake, '') end
  return {GONE}
end
delayed = delayed or 0 -- which earlier versions did not write
if not (max_trials and max_lost and max_failed and max_workers and deadline_at and max_payload and count and cursor and left
  and running and succeeded_count and failed_count and lost_count and trials and run_ms and passed_ms and ended_samples) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
-- INCLUDE ordinals/keep
-- INCLUDE ordinals/tell
local this_call, settles = tonumber(arg_call), tonumber(arg_settles)
local places = arg_rows + settles * 5
local wanted = #ARGV - places + 1
if wanted < 0 then return redis.error_reply('ERR ordinals/step: rows are missing') end

-- What the session holds, and its last call at this source: after it left, only the number of that call is known.
local asked = {'#'}
for i = 0, settles - 1 do asked[i + 2] = ARGV[arg_rows + i * 5] end
local entries = call('HMGET', key_held, unpack(asked))
local rank = call('ZRANK', key_source_sessions, arg_session)
local last_call, last_verdicts
if entries[1] then
  last_call, last_verdicts = string.match(entries[1], '^(%d+)(.*)$')
  last_call = tonumber(last_call or '0')
else
  last_call = tonumber(call('HGET', key_session, 'floor') or '0') or 0
end
if this_call < last_call or (this_call == last_call and not last_verdicts) then return {STALE} end

local command, level, others = '', -1, -1
local function answer(verdicts, claims, claim_trials, claim_places)
  local open = status == 'running' or status == 'suspended'
  local out = {OK, status, open and left - running - delayed or 0, rank and 1 or 0, executed, verdicts, command, level, others}
  if #claims == 0 then return out end
  local payloads = fed == '1' and call('HMGET', key_payload, unpack(claims))
  for i = 1, #claims do
    local at = #out
    out[at + 1], out[at + 2], out[at + 3] = claims[i], claim_places[i], claim_trials[i]
    out[at + 4] = payloads and payloads[i] or ''
  end
  return out
end
if this_call == last_call then return answer(last_verdicts, claimed(arg_call)) end

local was_final = status ~= 'running' and status ~= 'suspended'
local was_delayed, ended = delayed, was_final
local before = {succeeded_count, failed_count, trials, lost_count, run_ms}
if status == 'running' and deadline_at > 0 and now >= deadline_at then
  status, ended = 'failed', true
  finish(status, 'DeadlineExceeded', '')
  delayed, was_delayed = 0, 0
end
-- INCLUDE ordinals/settle
local over, reason
if broken then
  over, reason = 'failed', broken.reason
elseif not ended then
  over, reason = outcome.of(left, keeps and 0 or failed_count, max_failed, source_closed == '1')
end
if over then status = over end
local did = table.concat(verdicts)
local left_out = 0
if arg_marks ~= '' then
  for i = 1, #cancelled do verdicts[cancelled[i]] = 'k' end
  level = settlements.record(c, arg_source, keeps and 'c' or 's', table.concat(verdicts), function() left_out = left_out + 1 end)
  if left_out > 0 and not keeps then call('HINCRBY', key_source, 'not_recorded', left_out) end
elseif recorded then
  level = record.level(c)
end
if recorded == 'w' and level > 0 and level < record.OFF then wanted = 0 end
-- INCLUDE ordinals/claim
if kept_for_others then others = count + lost_count end

-- A session that holds nothing and found nothing leaves the source.
if rank and #claims == 0 and call('HLEN', key_held) <= 1 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:' .. arg_source)
  rank = false
end
if rank then
  call('HSET', key_held, '#', arg_call .. did)
elseif this_call > (tonumber(call('HGET', key_session, 'floor') or '0') or 0) then
  call('HSET', key_session, 'floor', arg_call)
end

local counted = not ended and #released > 0
if counted or #claims > 0 then
  call('HSET', key_source, 'cursor', cursor, 'left', left, 'running', running, 'succeeded_count', succeeded_count,
    'failed_count', failed_count, 'lost_count', lost_count, 'trials', trials, 'run_ms', run_ms, 'passed_ms', passed_ms,
    'ended_samples', ended_samples, 'progress_at', now)
end
if not ended and delayed ~= was_delayed then call('HSET', key_source, 'delayed', delayed) end
if keeps and counted then write_kept() end
if keeps and recorded and counted then
  local tree = string.match(tree_node, '^[^.]*')
  tally.add(c, tree, 's', succeeded_count - before[1])
  tally.add(c, tree, 'f', failed_count - before[2])
  tally.add(c, tree, 't', trials - before[3])
  tally.add(c, tree, 'l', lost_count - before[4])
  tally.add(c, tree, 'm', run_ms - before[5])
  tally.add(c, tree, 'x', left_out)
  tally.write(c)
end
if reason then
  finish(status, reason, broken and broken.message or '')
  if keeps then command = tell_node(broken, call('HLEN', key_results), count, fan_in) end
end
update_ready(status, left - running - delayed, max_workers, ready == '1', #claims == 0 and #released == 0)
if counted or #claims > 0 or reason or ended ~= was_final then changed() end
return answer(did, claims, claim_trials, claim_places)
