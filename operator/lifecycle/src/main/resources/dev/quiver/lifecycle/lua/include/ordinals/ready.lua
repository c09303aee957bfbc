-- Keeps the set's place in its pool's order in step with whether a worker can be sent to it, and wakes a worker: for this
-- set, or, when this set has nothing more, for another one. So whoever went dry needs no look of its own to learn of it.
-- Call it last, with the state after the script. Uses turn, key_set, key_set_sessions, key_ready, key_wake, arg_uid.
-- The token names the set that is ready if it is the only one: who takes it may claim without asking for the order.
local function update_ready(status, claimable, max_workers, was_ready)
  local want = status == 'running' and claimable > 0
    and (max_workers == 0 or call('ZCARD', key_set_sessions) < max_workers)
  if want and not was_ready then
    local own = call('HMGET', key_set, 'priority', 'virtual_time')
    call('ZADD', key_ready, turn(own[1], own[2]), arg_uid)
    call('HSET', key_set, 'ready', 1)
    -- A token that names the only other one would lead past this one.
    if call('ZCARD', key_ready) == 2 then call('UNLINK', key_wake) end
  elseif was_ready and not want then
    local score = call('ZSCORE', key_ready, arg_uid)
    if score then
      call('HSET', key_set, 'ready', 0, 'virtual_time', math.fmod(tonumber(score), BAND))
      call('ZREM', key_ready, arg_uid)
    else
      call('HSET', key_set, 'ready', 0)
    end
  end
  if (want or was_ready) and call('LLEN', key_wake) == 0 then
    local first = call('ZRANGE', key_ready, 0, 1)
    if first[1] then call('RPUSH', key_wake, first[2] and '' or first[1]) end
  end
end
