-- Keeps the source in its pool's order exactly while a worker can be sent to it. Wakes a worker: for this source, or for
-- another one when this one has nothing more. So a worker that went dry need not look for itself.
-- Call it last, with the state after the script.
-- Uses turn, key_source, key_source_sessions, key_ready, key_wake, arg_source.
-- The token names the source that is ready if it is the only one: its taker may claim without asking for the order.
local function update_ready(status, claimable, max_workers, was_ready)
  local want = status == 'running' and claimable > 0
    and (max_workers == 0 or call('ZCARD', key_source_sessions) < max_workers)
  if want and not was_ready then
    local own = call('HMGET', key_source, 'priority', 'virtual_time')
    call('ZADD', key_ready, turn(own[1], own[2]), arg_source)
    call('HSET', key_source, 'ready', 1)
    -- A token that names the only other one would lead past this one.
    if call('ZCARD', key_ready) == 2 then call('UNLINK', key_wake) end
  elseif was_ready and not want then
    local score = call('ZSCORE', key_ready, arg_source)
    if score then
      call('HSET', key_source, 'ready', 0, 'virtual_time', math.fmod(tonumber(score), BAND))
      call('ZREM', key_ready, arg_source)
    else
      call('HSET', key_source, 'ready', 0)
    end
  end
  if (want or was_ready) and call('LLEN', key_wake) == 0 then
    local first = call('ZRANGE', key_ready, 0, 1)
    if first[1] then call('RPUSH', key_wake, first[2] and '' or first[1]) end
  end
end
