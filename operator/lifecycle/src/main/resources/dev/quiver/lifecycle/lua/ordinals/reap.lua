-- Takes back what a fenced session holds of one source. Guarantee: each held task once, at most `most` a call;
-- what waited in its prefetch queue was not lost, nor what the store forgot with its last second.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of the session
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sources with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS failures: sample
-- KEYS held: what the session holds
-- KEYS source_sessions: sessions that work at the source
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- KEYS reports: where the source reports its changes
-- KEYS meta: hash of the keyspace (changes)
-- ARGV session: id of the session
-- ARGV source: its name in the pool's order
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, failed, more: 1 when more is held} | {NOTHING} when the session is not fenced | {TOO_LARGE,
--   words}
-- USES worker/reaping worker/settling ordinals/kept ordinals/reports ordinals/readiness ordinals/closing ordinals/notices
-- USES common/now worker/fate ordinals/copies ordinals/exhaustion ordinals/muting ordinals/trouble ordinals/outcome ordinals/sample ordinals/unpassed
-- USES history/record history/tally
local refusal = reaping.refusal(c)
if refusal then return refusal end
-- FIELDS source: status, source_closed, ready, fed, keeps, recorded, speculates
--   numbers: max_trials, max_lost, max_failed, max_workers, max_parallel, count, left, running, succeeded_count,
--   pending_count, failed_count, lost_count, ended_samples, delayed
source.succeeded_count, source.pending_count = source.succeeded_count or 0, source.pending_count or 0
local was_pending = source.pending_count
local senseless = kept.open(c, source)
if senseless then return senseless end
if source.status and not (source.max_lost and source.max_failed and source.max_workers and source.left and source.running
  and source.failed_count and source.lost_count and source.ended_samples) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
local function chunk_of(id) -- its number within the run: chunks of a node stand behind one another
  return string.format('%.0f', (tonumber(string.match(source.node, '%.(%d+)$') or '0') + 1) * 4194304 + id)
end
local open = source.status == 'running' or source.status == 'suspended'
local before = {source.failed_count, source.lost_count}
local again, decided, losses, not_passed, stays = {}, {}, {}, {}, 0
if source.speculates then copies.open(c, source) end
local became = fate.of(key_session)
-- The task has no trial left: another holder of it failed before this one was lost.
local function give_up(id)
  decided[#decided + 1], not_passed[#not_passed + 1] = id, id
  source.failed_count, source.left = source.failed_count + 1, source.left - 1
  source.ended_samples = sample.add(key_failures, id, 'F', exhaustion.last_failure(c, id), source.ended_samples)
  call('HDEL', key_trouble, id)
end
-- The task lost its worker: it is run again, or fails. shared: whether another holder goes on, who decides.
local function lost(id, shared)
  local failed, times = trouble.parse(call('HGET', key_trouble, id))
  times, source.lost_count = times + 1, source.lost_count + 1
  local ends = not shared and trouble.lost_too_often(times, source.max_lost)
  local used_up = not shared and not ends and source.speculates and failed >= source.max_trials
  -- Of a task that is used up the record has the failure.
  losses[#losses + 1] = (source.keeps and chunk_of(id) or id) .. ':' .. (failed + times) .. ':' .. (ends and settling.COUNTED or settling.RETRIED)
  if used_up then return give_up(id) end
  if not ends then
    if not shared then again[#again + 1] = id end
    call('HSET', key_trouble, id, failed .. ':' .. times)
    return
  end
  decided[#decided + 1] = id
  if muting.forgive(c, source, id) then return end
  not_passed[#not_passed + 1] = id
  source.failed_count, source.left = source.failed_count + 1, source.left - 1
  call('HDEL', key_trouble, id)
  local payload = source.fed == '1' and call('HGET', key_payload, id) or ''
  source.ended_samples = sample.add(key_failures, id, 'L',
    (failed + times) .. ' ' .. string.sub(payload, 1, 4096) .. '\n' .. became, source.ended_samples)
  if source.keeps then
    local words = 'the worker was lost ' .. times .. ' times' .. fate.last(became)
    kept.give_up(c, source, tonumber(id), '{"reason":"WorkerLost","message":"' .. words .. '"}')
  end
end
local taken, all = {}, true
if open or source.status and not source.keeps then
  taken, all = reaping.take(c, tonumber(arg_most), function(id, _, started)
    if not open then
      if not source.speculates or not copies.is_decided(source, id) then not_passed[#not_passed + 1] = id end
      return
    elseif source.keeps and not kept.number(source, id) then
      return -- a tenant wrote it: no task has that id
    end
    local other = source.speculates and copies.let_go(source, id, false)
    if other then stays = stays + 1 end
    if other == 'decided' then return end
    if started then
      lost(id, other == 'shared')
    elseif source.speculates and not other and exhaustion.of(c, source, id) then
      give_up(id)
    elseif not other then
      again[#again + 1] = id
    end
  end)
end
if source.status then unpassed.note(c, source, not_passed) end
if open and #taken > 0 then
  source.running = source.running - #taken + stays
  if source.speculates then copies.write(c, source) end
  for i = 1, #source.ripe do again[#again + 1] = source.ripe[i] end
  if #again > 0 then call('LPUSH', key_task_queue, unpack(again)) end
  if #decided > 0 and source.fed == '1' then call('HDEL', key_payload, unpack(decided)) end
  call('HSET', key_source, 'left', source.left, 'running', source.running, 'failed_count', source.failed_count,
    'lost_count', source.lost_count, 'ended_samples', source.ended_samples)
  if source.pending_count ~= was_pending then
    call('HSET', key_source, 'succeeded_count', source.succeeded_count, 'pending_count', source.pending_count)
  end
  if source.recorded and #losses > 0 then
    local level = record.level(c)
    local run = source.keeps and string.match(source.node, '^[^.]*') or arg_source
    if level < record.FULL then
      record.append(c, 'k', 'l', 'u', run, 't', now, 's', arg_session, 'i', table.concat(losses, ' '))
    elseif level == record.FULL then
      if source.keeps then
        tally.add(c, run, 'x', #losses)
      else
        call('HINCRBY', key_source, 'not_recorded', #losses)
      end
    end
    if source.keeps then
      tally.add(c, run, 'f', source.failed_count - before[1])
      tally.add(c, run, 'l', source.lost_count - before[2])
      tally.write(c)
    end
  end
  local over, reason = outcome.of(source.left, source.keeps and 0 or source.failed_count, source.max_failed, source.source_closed == '1')
  if source.broken then over, reason = 'failed', source.broken.reason end
  if source.keeps then kept.write(c, source) end
  if over then
    source.status = over
    closing.finish(c, source.status, reason, source.broken and source.broken.message or '')
    if source.keeps then
      notices.tell(c, source.node, source.next_pool, source.broken, call('HLEN', key_results), source.count, source.fan_in)
    end
  end
end
if all then reaping.close(c, arg_source) end
if source.status then
  local offered = source.speculates and open and copies.has_room(source) and source.offered or 0
  readiness.update(c, source.status, readiness.claimable(source), source.max_workers, source.ready == '1', false, offered)
  reports.changed(c)
end
return {OK, #again - #source.ripe, #decided, all and 0 or 1}
