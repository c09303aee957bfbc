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
-- ARGV pace: empty or 1..1000000100000; 10^6 times the thousandths of a task's usual time that it takes here, 0 while the
--   worker does not know, and its slots; empty where it asks for no order
-- ARGV rows...: 0..2048; settlements as (id, call of the claim, kind, run ms, failure or place), then a place for each claim.
--   Kinds: p passed (with a result where the source keeps them), q pending, f failed, x failed for good, y the same, which
--   ends the source (its words, a line feed, the failure), d<ms> failed and not to be tried again before so many ms, l lost,
--   r returned, m moved
-- RETURNS {OK, status, claimable, member: 0 or 1, executed, verdicts: a letter each, command: one that may run now or
--   nothing, level: of the record or -1, others, outranked: 0 or 1, estimates: ms of each claim by spaces, claims...(id, place, trial,
--   payload)} | {FENCED} | {GONE} | {STALE}. Others: -1, or where there is nothing for this session alone, since it does
--   not serve the tasks or would take too long for them, a number that grows with the tasks that come or are offered, and
--   the workers that are lost. Outranked: 1 where the next free slot belongs to another source of the pool. Estimates: empty without an order and copies; odd of a task that no run knows, 0 of one
--   behind the order; c before that of a copy
-- USES worker/sessions worker/calls worker/isolation ordinals/kept ordinals/reports ordinals/readiness
-- USES ordinals/closing ordinals/notices ordinals/completions ordinals/claims common/now worker/claimed
-- USES ordinals/trouble ordinals/outcome ordinals/sequence ordinals/copies ordinals/extras history/record history/settlements
-- USES history/tally worker/ready
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
-- FIELDS source: status, fed, source_closed, ready, plain
--   numbers: max_trials, max_lost, max_failed, max_workers, deadline_at, max_payload, count, cursor, left, running,
--   delayed, succeeded_count, failed_count, lost_count, trials, run_ms, passed_ms, ended_samples, isolated
local its = isolation.open(c, arg_source)
if not source.status then
  call('UNLINK', key_held)
  call('HDEL', key_session, 'set:' .. arg_source)
  isolation.forgets_source(c, its)
  call('ZREM', key_ready, arg_source)
  if call('LLEN', key_wake) == 0 and call('ZCARD', key_ready) > 0 then call('RPUSH', key_wake, '') end
  return {GONE}
end
source.delayed = source.delayed or 0 -- which earlier versions did not write
source.pending_count = 0 -- those of this call
if not (source.max_trials and source.max_lost and source.max_failed and source.max_workers and source.deadline_at
  and source.max_payload and source.count and source.cursor and source.left and source.running and source.succeeded_count
  and source.failed_count and source.lost_count and source.trials and source.run_ms and source.passed_ms
  and source.ended_samples) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
local senseless = extras.open(c, source) or kept.open(c, source)
if senseless then return senseless end
if source.ordered then sequence.open(c, source) end
if source.speculates then copies.open(c, source) end
local settles = tonumber(arg_settles)
local first_place = arg_rows + settles * 5
local wanted = #ARGV - first_place + 1
if wanted < 0 then return redis.error_reply('ERR ordinals/step: rows are missing') end
local this = calls.open(c, ARGV, arg_rows, settles)
if not this then return {STALE} end

local said = {member = this.member, command = '', level = -1, others = -1}
local function answer(verdicts, claimable, ids, trials, places, known)
  local open = source.status == 'running' or source.status == 'suspended'
  local told = source.ordered and sequence.estimates(c, source.ordered, ids, known) or ''
  if source.speculates then told = copies.tell(places, told) end
  local out = {OK, source.status, open and claimable or 0, said.member and 1 or 0, executed,
    verdicts, said.command, said.level, said.others,
    order.outranked({source = arg_source, hash = key_source, ready = key_ready}), told}
  if #ids == 0 then return out end
  local payloads = source.fed == '1' and call('HMGET', key_payload, unpack(ids))
  for i = 1, #ids do
    local at = #out
    out[at + 1], out[at + 2], out[at + 3] = ids[i], places[i], trials[i]
    out[at + 4] = payloads and payloads[i] or ''
  end
  return out
end
if this.done then
  local ids, places = holds.of_call(key_held, arg_call)
  return answer(this.verdicts, readiness.claimable(source), ids, trouble.trials(key_trouble, ids), places)
end

local was_final = source.status ~= 'running' and source.status ~= 'suspended'
local was_delayed, ended = source.delayed, was_final
local before = {source.succeeded_count, source.failed_count, source.trials, source.lost_count, source.run_ms}
if source.status == 'running' and source.deadline_at > 0 and now >= source.deadline_at then
  source.status, ended = 'failed', true
  closing.finish(c, source.status, 'DeadlineExceeded', '')
  if source.speculates then copies.open(c, source) end
  source.delayed, was_delayed = 0, 0
end
local verdicts, released, told = completions.settle(c, source, this.entries, ARGV, arg_rows, settles, ended)
local over, reason
if source.broken and not ended then
  over, reason = 'failed', source.broken.reason
elseif not ended then
  over, reason = outcome.of(source.left, source.keeps and 0 or source.failed_count, source.max_failed, source.source_closed == '1')
end
if over then source.status = over end
local did = table.concat(verdicts)
local left_out = 0
if arg_marks ~= '' then
  for place, letter in pairs(told) do verdicts[place] = letter end
  said.level = settlements.record(c, arg_source, source.keeps and 'c' or 's', table.concat(verdicts),
    function() left_out = left_out + 1 end)
  if left_out > 0 and not source.keeps then call('HINCRBY', key_source, 'not_recorded', left_out) end
elseif source.recorded then
  said.level = record.level(c)
end
if source.recorded == 'w' and said.level > 0 and said.level < record.OFF or source.gate then wanted = 0 end

local function welcome()
  if source.max_workers == 0 then return true end
  local rank = this.member and call('ZRANK', key_source_sessions, arg_session) or call('ZCARD', key_source_sessions)
  return rank < source.max_workers
end
local ids, trials, kept_for_others, known, copied = claims.take(c, source, its, wanted, welcome)
local places, held = {}, nil
if #ids > 0 then
  places, held = claims.hold(c, source, ids, ARGV, first_place, copied)
  if not this.member then claims.join(c) end
end
if source.broken and not over and not ended then over, reason, source.status = 'failed', source.broken.reason, 'failed' end
if kept_for_others then said.others = source.count + source.lost_count + (source.offers or 0) end
said.member = calls.close(c, this, arg_source, did, #ids, held)

local counted = not ended and #released > 0
if counted or #ids > 0 then
  call('HSET', key_source, 'cursor', source.cursor, 'left', source.left, 'running', source.running,
    'succeeded_count', source.succeeded_count, 'trials', source.trials, 'run_ms', source.run_ms, 'passed_ms', source.passed_ms,
    'progress_at', now)
  -- What only trouble changes is written then.
  if source.failed_count ~= before[2] or source.lost_count ~= before[4] then
    call('HSET', key_source, 'failed_count', source.failed_count, 'lost_count', source.lost_count,
      'ended_samples', source.ended_samples)
  end
  if source.pending_count > 0 then call('HINCRBY', key_source, 'pending_count', source.pending_count) end
end
if source.speculates and not ended then copies.write(c, source) end
if not ended and source.delayed ~= was_delayed then call('HSET', key_source, 'delayed', source.delayed) end
if source.keeps and counted then
  kept.write(c, source)
  if source.recorded then
    local tree = string.match(source.node, '^[^.]*')
    tally.add(c, tree, 's', source.succeeded_count - before[1])
    tally.add(c, tree, 'f', source.failed_count - before[2])
    tally.add(c, tree, 't', source.trials - before[3])
    tally.add(c, tree, 'l', source.lost_count - before[4])
    tally.add(c, tree, 'm', source.run_ms - before[5])
    tally.add(c, tree, 'x', left_out)
    tally.write(c)
  end
end
if reason then
  closing.finish(c, source.status, reason, source.broken and source.broken.message or '')
  if source.keeps then
    said.command = notices.tell(c, source.node, source.next_pool, source.broken, call('HLEN', key_results), source.count, source.fan_in)
  end
end
local claimable = readiness.claimable(source)
readiness.update(c, source.status, claimable, source.max_workers, source.ready == '1',
  #ids == 0 and #released == 0, source.speculates and copies.has_room(source) and source.offered or 0)
if counted or #ids > 0 or reason or ended ~= was_final then reports.changed(c) end
return answer(did, claimable, ids, trials, places, known)
