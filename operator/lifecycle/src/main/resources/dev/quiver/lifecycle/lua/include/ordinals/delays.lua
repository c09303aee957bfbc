-- Tasks that wait for their retry time.
-- MODULE delays
-- USES common/now
-- Puts those whose time has come to the front of the queue, and notes when the next one's will. Answers how many. The caller
-- writes the source's `delayed`.
function delays.promote(c, most)
  local due = call('ZRANGEBYSCORE', c.key_source_delayed, '-inf', c.now, 'LIMIT', 0, most)
  if #due > 0 then
    call('ZREM', c.key_source_delayed, unpack(due))
    local front = {}
    for i = #due, 1, -1 do front[#front + 1] = due[i] end
    call('LPUSH', c.key_task_queue, unpack(front))
  end
  local next_due = call('ZRANGE', c.key_source_delayed, 0, 0, 'WITHSCORES')
  if next_due[2] then
    call('ZADD', c.key_delayed, next_due[2], c.arg_source)
  else
    call('ZREM', c.key_delayed, c.arg_source)
  end
  return #due
end
