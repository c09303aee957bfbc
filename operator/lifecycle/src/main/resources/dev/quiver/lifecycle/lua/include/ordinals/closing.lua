-- Makes the source final: nothing is queued or held any more, what sessions still hold is void. A source that is recorded
-- ends there as well, with its counters, which must be written before.
-- MODULE closing
-- USES common/now history/record
local COUNTERS = {'count', 'succeeded_count', '', 'failed_count', 'trials', 'lost_count', 'run_ms', 'not_recorded'}
local function counter_of(c, name) -- within bounds, whatever a tenant wrote
  local text = name ~= '' and call('HSTRLEN', c.key_source, name) < 16 and call('HGET', c.key_source, name)
  return text and string.match(text, '^%d+$') or '0'
end
function closing.finish(c, status, reason, message)
  call('HSET', c.key_source, 'status', status, 'reason', reason, 'message', message, 'finished_at', c.now, 'running', 0,
    'delayed', 0)
  call('UNLINK', c.key_task_queue, c.key_payload, c.key_trouble, c.key_source_delayed)
  call('ZREM', c.key_delayed, c.arg_source)
  local recorded = call('HSTRLEN', c.key_source, 'recorded') == 1 and call('HGET', c.key_source, 'recorded')
  if (recorded == 's' or recorded == 'w') and record.level(c) < record.OFF then
    local counters = {}
    for i = 1, #COUNTERS do counters[i] = counter_of(c, COUNTERS[i]) end
    record.append(c, 'k', 'e', 'u', c.arg_source, 't', c.now, 'z', status, 'q', record.cut(reason, 64),
      'm', record.cut(message, 1024), 'a', counter_of(c, 'first_at'), 'c', table.concat(counters, ' '))
  end
end
