-- Makes the source final: what sessions still hold is void. What is queued or waits stays where no results are kept, since
-- nothing else tells which tasks were not decided. A source that is recorded ends there as well, with its counters, which
-- must be written before.
-- An order goes, unless tasks of it were never given out: it alone tells which.
-- MODULE closing
-- KEYS order: of the tasks that are given out
-- USES common/now history/record ordinals/copies
-- In the order of the record, where tasks that are pending count beside those that passed.
local COUNTERS = {'count', 'succeeded_count', 'pending_count', 'failed_count', 'trials', 'lost_count', 'run_ms', 'not_recorded'}
local function counter_of(c, name) -- within bounds, whatever a tenant wrote
  local text = call('HSTRLEN', c.key_source, name) < 16 and call('HGET', c.key_source, name)
  return text and string.match(text, '^%d+$') or '0'
end
local function is_used_up(c)
  local ordered, cursor, tail = unpack(call('HMGET', c.key_source, 'ordered', 'cursor', 'tail'))
  return not ordered or (tonumber(cursor) or 0) + (tonumber(tail or '0') or 0) >= (tonumber(ordered) or 0)
end
function closing.finish(c, status, reason, message)
  call('HSET', c.key_source, 'status', status, 'reason', reason, 'message', message, 'finished_at', c.now, 'running', 0,
    'delayed', 0)
  call('UNLINK', c.key_payload, c.key_trouble)
  if is_used_up(c) then call('UNLINK', c.key_order) end
  copies.finish(c)
  if call('HEXISTS', c.key_source, 'keeps') == 1 then call('UNLINK', c.key_task_queue, c.key_source_delayed) end
  call('ZREM', c.key_delayed, c.arg_source)
  local recorded = call('HSTRLEN', c.key_source, 'recorded') == 1 and call('HGET', c.key_source, 'recorded')
  if (recorded == 's' or recorded == 'w') and record.level(c) < record.OFF then
    local counters = {}
    for i = 1, #COUNTERS do counters[i] = counter_of(c, COUNTERS[i]) end
    if tonumber(counters[3]) > 0 then
      counters[2] = string.format('%.0f', math.max(0, tonumber(counters[2]) - tonumber(counters[3])))
    end
    record.append(c, 'k', 'e', 'u', c.arg_source, 't', c.now, 'z', status, 'q', record.cut(reason, 64),
      'm', record.cut(message, 1024), 'a', counter_of(c, 'first_at'), 'c', table.concat(counters, ' '))
  end
end
