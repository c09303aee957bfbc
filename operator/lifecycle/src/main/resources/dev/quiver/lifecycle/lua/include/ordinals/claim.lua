-- A part of step: takes tasks for the session, first from the queue, then from the cursor, as many as are wanted, there
-- and, by their payloads, small enough. A session that did not work at the source joins it. Changes the source's fields
-- that step has read, and leaves `claims` (ids), `claim_trials` and `claim_places`.
local claims, claim_trials, claim_places = {}, {}, {}
local claimable = left - running - delayed
if wanted > 0 and status == 'running' and claimable > 0 then
  local welcome = max_workers == 0 or (rank or call('ZCARD', key_source_sessions)) < max_workers
  local take = welcome and math.min(wanted, claimable) or 0
  local listed = math.min(take, claimable - (count - cursor))
  if take > 0 and fed == '1' and take * max_payload > tonumber(arg_max_bytes) then
    local next_ids = listed > 0 and call('LRANGE', key_task_queue, 0, listed - 1) or {}
    local bytes, fit = 0, 0
    for i = 1, take do
      bytes = bytes + call('HSTRLEN', key_payload, next_ids[i] or (cursor + i - 1 - #next_ids))
      if bytes > tonumber(arg_max_bytes) and fit > 0 then break end
      fit = fit + 1
    end
    take = fit
    listed = math.min(take, listed)
  end
  if listed > 0 then
    claims = call('LPOP', key_task_queue, listed)
    local troubles = call('HMGET', key_trouble, unpack(claims))
    for i = 1, #claims do
      local tries, lost = parse_trouble(troubles[i])
      claim_trials[i] = tries + lost + 1
    end
  end
  for i = #claims + 1, take do
    claims[i], claim_trials[i] = string.format('%.0f', cursor), 1
    cursor = cursor + 1
  end
  if #claims > 0 then
    local rows = {}
    for i = 1, #claims do
      claim_places[i] = ARGV[places + i - 1]
      rows[i * 2 - 1], rows[i * 2] = claims[i], arg_call .. '@' .. claim_places[i]
    end
    call('HSET', key_held, unpack(rows))
    running = running + #claims
    if not rank then
      if call('HEXISTS', key_source, 'first_at') == 0 then call('HSET', key_source, 'first_at', now) end
      call('ZADD', key_source_sessions, call('HINCRBY', key_source, 'joined', 1), arg_session)
      call('HSET', key_session, 'set:' .. arg_source, 1)
      rank = call('ZRANK', key_source_sessions, arg_session)
    end
  end
end
