-- Takes back what a condemned session holds of one source. Guarantee: each held task once, at most `most` a call;
-- what waited in its prefetch queue was not lost, nor what the store forgot with its last second.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS condemned: sessions being taken back
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
-- RETURNS {OK, requeued, failed, 1 when more is held} | {NOTHING} when the session is not condemned
--   | {TOO_LARGE, words}
-- USES ordinals/kept ordinals/reports ordinals/readiness ordinals/closing ordinals/notices common/now
-- USES common/bounds worker/fate ordinals/trouble ordinals/outcome ordinals/sample history/record
-- USES history/tally
if not call('ZSCORE', key_condemned, arg_session) then return {NOTHING} end
-- FIELDS source: status, source_closed, ready, fed, keeps, recorded
--   numbers: max_lost, max_failed, max_workers, count, left, running, failed_count, lost_count, ended_samples, delayed
local senseless = kept.open(c, source)
if senseless then return senseless end
if source.status and not (source.max_lost and source.max_failed and source.max_workers and source.left and source.running and source.failed_count and source.lost_count and source.ended_samples) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
local function chunk_of(id) -- its number within the run: chunks of a node stand behind one another
  return string.format('%.0f', (tonumber(string.match(source.node, '%.(%d+)$') or '0') + 1) * 4194304 + id)
end
local HELD, HELD_BYTES = 65536, 16777216
local words = bounds.hash(key_held, HELD, HELD_BYTES) or bounds.hash(key_session, HELD, HELD_BYTES)
if words then return {TOO_LARGE, words} end
local open = source.status == 'running' or source.status == 'suspended'
local rewound = (tonumber(call('HGET', key_session, 'calls') or '0') or 0) < 0
local held = open and call('HGETALL', key_held) or {}
local before = {source.failed_count, source.lost_count}
local again, decided, taken, losses, more = {}, {}, {}, {}, 0
local became = fate.of(key_session)
for i = 1, #held, 2 do
  local id = held[i]
  if id ~= '#' then
    if #taken >= tonumber(arg_most) then
      more = 1
      break
    end
    taken[#taken + 1] = id
    if source.keeps and not kept.number(source, id) then
      -- a tenant wrote it: no task has that id
    elseif rewound or string.match(held[i + 1], '@%-') then
      again[#again + 1] = id
    else
      local tries, lost = trouble.parse(call('HGET', key_trouble, id))
      lost, source.lost_count = lost + 1, source.lost_count + 1
      losses[#losses + 1] = (source.keeps and chunk_of(id) or id) .. ':' .. (tries + lost) .. ':' .. (trouble.lost_too_often(lost, source.max_lost) and 'c' or 't')
      if trouble.lost_too_often(lost, source.max_lost) then
        source.failed_count, source.left = source.failed_count + 1, source.left - 1
        decided[#decided + 1] = id
        call('HDEL', key_trouble, id)
        local payload = source.fed == '1' and call('HGET', key_payload, id) or ''
        source.ended_samples = sample.add(key_failures, id, 'L', (tries + lost) .. ' ' .. string.sub(payload, 1, 4096) .. '\n' .. became, source.ended_samples)
        if source.keeps then
          kept.give_up(c, source, tonumber(id), '{"reason":"WorkerLost","message":"the worker was lost ' .. lost .. ' times' .. (became == '' and '' or '; the last time ' .. became) .. '"}')
        end
      else
        again[#again + 1] = id
        call('HSET', key_trouble, id, tries .. ':' .. lost)
      end
    end
  end
end
if #taken > 0 then
  call('HDEL', key_held, unpack(taken))
  source.running = source.running - #taken
  for i = 1, #source.ripe do again[#again + 1] = source.ripe[i] end
  if #again > 0 then call('LPUSH', key_task_queue, unpack(again)) end
  if #decided > 0 and source.fed == '1' then call('HDEL', key_payload, unpack(decided)) end
  call('HSET', key_source, 'left', source.left, 'running', source.running, 'failed_count', source.failed_count, 'lost_count', source.lost_count,
    'ended_samples', source.ended_samples)
  if source.recorded and #losses > 0 then
    local level = record.level(c)
    if level < record.FULL then
      record.append(c, 'k', 'l', 'u', source.node and string.match(source.node, '^[^.]*') or arg_source, 't', now, 's', arg_session, 'i', table.concat(losses, ' '))
    elseif level == record.FULL then
      if source.keeps then
        tally.add(c, string.match(source.node, '^[^.]*'), 'x', #losses)
      else
        call('HINCRBY', key_source, 'not_recorded', #losses)
      end
    end
    if source.keeps then
      tally.add(c, string.match(source.node, '^[^.]*'), 'f', source.failed_count - before[1])
      tally.add(c, string.match(source.node, '^[^.]*'), 'l', source.lost_count - before[2])
      tally.write(c)
    end
  end
  local over, reason = outcome.of(source.left, source.keeps and 0 or source.failed_count, source.max_failed, source.source_closed == '1')
  if source.broken then over, reason = 'failed', source.broken.reason end
  if source.keeps then kept.write(c, source) end
  if over then
    source.status = over
    closing.finish(c, source.status, reason, source.broken and source.broken.message or '')
    if source.keeps then notices.tell(c, source.node, source.next_pool, source.broken, call('HLEN', key_results), source.count, source.fan_in) end
  end
end
if more == 0 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:' .. arg_source)
  local works = false
  for _, field in ipairs(call('HKEYS', key_session)) do
    works = works or string.sub(field, 1, 4) == 'set:'
  end
  if not works then
    call('UNLINK', key_session)
    call('ZREM', key_condemned, arg_session)
  end
end
if source.status then
  readiness.update(c, source.status, source.left - source.running - (source.delayed or 0), source.max_workers, source.ready == '1')
  reports.changed(c)
end
return {OK, #again - #source.ripe, #decided, more}
