-- Counts what a session settles of a source, and queues what is to run again.
-- MODULE completions
-- USES common/now worker/settling ordinals/trouble ordinals/sample ordinals/kept ordinals/delays ordinals/muting
-- USES ordinals/unpassed ordinals/copies ordinals/exhaustion history/record history/settlements
local MOST_PROMOTED, MOST_MS, COLUMNS, WORDS_BYTES = 256, 1e14, 5, 2048
local PASSED, COUNTED = settling.PASSED, settling.COUNTED
-- Its words stand before the failure, in a line of their own. A source that keeps results has its own reasons to end. Answers
-- the failure.
local function end_source(source, text)
  local words, failure = string.match(text, '^([^\n]*)\n(.*)$')
  if not source.keeps and not source.broken then
    source.broken = {reason = 'FailurePolicy', message = record.cut(words or '', WORDS_BYTES)}
  end
  return failure or text
end
-- The task fails for good.
local function give_up(c, source, done, id, text)
  source.failed_count, source.left = source.failed_count + 1, source.left - 1
  done.failed[#done.failed + 1] = id
  call('HDEL', c.key_trouble, id)
  source.ended_samples = sample.add(c.key_failures, id, 'F', text, source.ended_samples)
end
-- A trial that failed or lost its worker: again, at once or after a while, or the end. shared: whether another holder of the
-- task goes on, who decides. Answers the verdict, and what the record is told instead: a task without a trial left has
-- failed, unless that holder passes. Should it give the task back, no row would say so.
local function fail(c, source, done, id, kind, ms, text, shared)
  local failed, lost = trouble.parse(call('HGET', c.key_trouble, id))
  if kind == settling.LOST then
    lost, source.lost_count = lost + 1, source.lost_count + 1
  else
    failed, source.trials, source.run_ms = failed + 1, source.trials + 1, source.run_ms + ms
  end
  local most = source.keeps and tonumber(id) >= source.count and source.combine_trials or source.max_trials
  local for_all = kind == settling.FAILED_FOR_ALL
  if for_all then text = end_source(source, text) end
  local lost_too_often = trouble.lost_too_often(lost, source.max_lost)
  if shared then
    call('HSET', c.key_trouble, id, failed .. ':' .. lost)
    sample.add(c.key_failures, id, 'R', text, source.ended_samples)
    return settling.RETRIED, failed >= source.max_trials and settling.COUNTED or nil
  end
  if lost_too_often and muting.forgive(c, source, id) then
    done.forgiven[#done.forgiven + 1] = id
    return settling.COUNTED
  end
  if for_all or kind == settling.FAILED_FOR_GOOD or failed >= most or lost_too_often then
    give_up(c, source, done, id, text)
    if source.keeps then kept.give_up(c, source, tonumber(id), text) end
    return settling.COUNTED
  end
  local delay = settling.delay(kind)
  if delay and #delay <= 14 then
    done.later[#done.later + 1], done.later[#done.later + 2] = c.now + tonumber(delay), id
  else
    done.again[#done.again + 1] = id
  end
  call('HSET', c.key_trouble, id, failed .. ':' .. lost)
  sample.add(c.key_failures, id, 'R', text, source.ended_samples)
  return settling.RETRIED
end
-- A holder of the task lets it go, and none is left. It is queued again, unless it has no trial left since another holder
-- failed. Answers the verdict.
local function give_back(c, source, done, id)
  if not source.speculates or not exhaustion.of(c, source, id) then
    done.again[#done.again + 1] = id
  else
    give_up(c, source, done, id, exhaustion.last_failure(c, id))
  end
  return settling.COUNTED
end
local function decides(kind)
  return kind == settling.PASSED or kind == settling.PENDING or kind == settling.FAILED_FOR_GOOD
    or kind == settling.FAILED_FOR_ALL
end
-- What was held of a source that has ended, but for what another holder had decided.
local function undone(source, released)
  if not source.speculates then return released end
  local ids = {}
  for i = 1, #released do
    if not copies.is_decided(source, released[i]) then ids[#ids + 1] = released[i] end
  end
  return ids
end
local function count(source, passes, ms)
  source.trials, source.succeeded_count, source.left = source.trials + passes, source.succeeded_count + passes, source.left - passes
  source.run_ms, source.passed_ms = source.run_ms + ms, source.passed_ms + ms
end
local function write(c, source, done)
  local again = done.again
  for i = 1, #source.ripe do again[#again + 1] = source.ripe[i] end
  if source.fed == '1' then
    if #done.passed > 0 then call('HDEL', c.key_payload, unpack(done.passed)) end
    if #done.failed > 0 then call('HDEL', c.key_payload, unpack(done.failed)) end
    if #done.forgiven > 0 then call('HDEL', c.key_payload, unpack(done.forgiven)) end
  end
  if #again > 0 then
    local front = {}
    for i = #again, 1, -1 do front[#front + 1] = again[i] end
    call('LPUSH', c.key_task_queue, unpack(front))
  end
  if #done.later > 0 then
    call('ZADD', c.key_source_delayed, unpack(done.later))
    source.delayed = source.delayed + #done.later / 2
  end
  if source.delayed > 0 then source.delayed = source.delayed - delays.promote(c, MOST_PROMOTED) end
end
-- Counts each settlement whose claim the session still holds; of a source that has `ended`, none. Changes the source's fields
-- and writes its queue. `rows` have the settlements from `first` on, `entries` what is held of them, the first one left out.
-- Answers the verdicts, a list of the ids that are held no more, and what the record is told instead of some verdicts, by
-- their places.
function completions.settle(c, source, entries, rows, first, settles, ended)
  local may_have_trouble = source.trials > source.succeeded_count or source.lost_count > 0
  local verdicts, released, told, stays = {}, {}, {}, 0
  local passed, passed_ms, keeps = {}, 0, source.keeps
  local plain = not (keeps or ended or source.speculates) -- then a pass is a pass, and most are
  local done = {passed = passed, failed = {}, forgiven = {}, again = {}, later = {}}
  for i = 0, settles - 1 do
    local at = first + i * COLUMNS
    local id, prefix, kind, ms = rows[at], rows[at + 1] .. '@', rows[at + 2], tonumber(rows[at + 3])
    if not ms or ms % 1 ~= 0 or ms < 0 or ms > MOST_MS then ms = 0 end
    local entry = entries[i + 2]
    if plain and kind == PASSED and entry and string.sub(entry, 1, #prefix) == prefix then
      verdicts[i + 1], released[#released + 1] = COUNTED, id
      passed[#passed + 1], passed_ms = id, passed_ms + ms
    elseif not entry or string.sub(entry, 1, #prefix) ~= prefix or keeps and not kept.number(source, id) then
      verdicts[i + 1] = ended and settling.VOID or settling.ALREADY
    elseif ended then
      verdicts[i + 1] = settling.VOID
      released[#released + 1] = id
      told[i + 1] = source.speculates and copies.is_decided(source, id) and settlements.SUPERSEDED or settlements.CANCELLED
    elseif kind == settling.MOVED then
      verdicts[i + 1] = settling.COUNTED
      call('HSET', c.key_held, id, prefix .. rows[at + 4] .. (source.speculates and copies.mark(entry) or ''))
    else
      local other = source.speculates and copies.let_go(source, id, decides(kind))
      verdicts[i + 1] = settling.COUNTED
      released[#released + 1] = id
      if other then stays = stays + 1 end
      if other == 'decided' then
        verdicts[i + 1] = settling.VOID
        told[i + 1] = settlements.SUPERSEDED
      elseif kind == settling.PASSED or kind == settling.PENDING and not keeps then
        passed[#passed + 1], passed_ms = id, passed_ms + ms
        if kind == settling.PENDING then source.pending_count = source.pending_count + 1 end
        if keeps then kept.keep(c, source, tonumber(id), rows[at + 4]) end
      elseif kind == settling.RETURNED then
        if not other then verdicts[i + 1] = give_back(c, source, done, id) end
      else
        verdicts[i + 1], told[i + 1] = fail(c, source, done, id, kind, ms, rows[at + 4], other == 'shared')
      end
    end
  end
  if #passed > 0 then count(source, #passed, passed_ms) end
  if #released > 0 then
    call('HDEL', c.key_held, unpack(released))
    if not ended then source.running = source.running - #released + stays end
  end
  if #passed > 0 and may_have_trouble and call('HDEL', c.key_trouble, unpack(passed)) > 0 then
    call('HDEL', c.key_failures, unpack(passed))
  end
  unpassed.note(c, source, ended and undone(source, released) or done.failed)
  write(c, source, done)
  return verdicts, released, told
end
