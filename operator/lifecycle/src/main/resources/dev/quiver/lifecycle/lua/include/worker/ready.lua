-- Keeps a source in its pool's order exactly while a worker can be sent to it. Wakes a worker: for this source, or for
-- another one when this one has nothing more. So a worker that went dry need not look for itself.
-- Call it last, with the state after the script. `at` names the source and three keys: its hash, with the fields
-- priority, virtual_time and ready, and its pool's ready and wake.
-- The token names the source that is ready if it is the only one: its taker may claim without asking for the order.
-- `idle`: the caller gave nothing out and changed nothing. It makes no token of what it left: whoever comes next would get
-- nothing either, and make the next token. Its worker passes a token on where it learnt something new by it.
-- MODULE order
-- USES worker/turn worker/pace
local NOTHING = {trials = 0, ms = 0, moved = false} -- is done by a call that names nothing
function order.keep(at, want, was_ready, idle)
  if want and not was_ready then
    local own = call('HMGET', at.hash, 'priority', 'virtual_time')
    call('ZADD', at.ready, turn.of(at.ready, own[1], own[2]), at.source)
    call('HSET', at.hash, 'ready', 1)
    -- A token that names the only other one would lead past this one.
    if call('ZCARD', at.ready) == 2 then call('UNLINK', at.wake) end
  elseif was_ready and not want then
    local score = call('ZSCORE', at.ready, at.source)
    if score then
      call('HSET', at.hash, 'ready', 0, 'virtual_time', math.fmod(tonumber(score), turn.BAND))
      call('ZREM', at.ready, at.source)
    else
      call('HSET', at.hash, 'ready', 0)
    end
  end
  if (want ~= was_ready or want and not idle) and call('LLEN', at.wake) == 0 then
    local first = call('ZRANGE', at.ready, 0, 1)
    if first[1] then call('RPUSH', at.wake, first[2] and '' or first[1]) end
  end
end
-- 1 where another source of the pool has a higher priority than this one and has work, whether this one has or not; else 0.
-- Equals take turns, so none of them is meant. Call it behind `keep`.
function order.outranked(at)
  local first = call('ZRANGE', at.ready, 0, 0, 'WITHSCORES')
  if not first[1] or first[1] == at.source then return 0 end
  local own = call('ZSCORE', at.ready, at.source) or turn.base(call('HGET', at.hash, 'priority'))
  return math.floor(first[2] / turn.BAND) < math.floor(own / turn.BAND) and 1 or 0
end
-- The same of a source whose tasks stand on another program's wire. `waiting()` counts what workers may find there, `came`
-- how much has come; the source notes both, that `running_by` more are held, and what the call `did` (see pace), if given.
function order.keep_counted(at, waiting, running_by, came, idle, now, did)
  local running, was_ready, trials, run_ms = unpack(call('HMGET', at.hash, 'running', 'ready', 'trials', 'run_ms'))
  if not running then return end
  local found = waiting()
  running = math.max(0, (tonumber(running) or 0) + running_by)
  call('HSET', at.hash, 'running', running, 'left', running + found, pace.fields(at.hash, did or NOTHING, now, trials, run_ms))
  if came > 0 then call('HINCRBY', at.hash, 'seq', came) end
  order.keep(at, found > 0, was_ready == '1', idle)
end
