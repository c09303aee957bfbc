-- A part of step: takes tasks for the session, first from the queue, then from the cursor, as many as are wanted, there
-- and, by their payloads, small enough. A session that did not work at the source joins it. Changes the source's fields
-- that step has read, and leaves `claims` (ids), `claim_trials` and `claim_places`.
-- USES ordinals/trouble
local claims, claim_trials, claim_places = {}, {}, {}
-- Those that are to run alone stand at the end of the queue, `isolated` counts them.
local claimable, kept_for_others = left - running - delayed, false
isolated = isolated or 0
alone.before = isolated
local function claim_isolated()
  local id = call('RPOP', key_task_queue)
  isolated = isolated - 1
  if not id then return end
  local tries, lost = trouble.parse(call('HGET', key_trouble, id))
  claims[1], claim_trials[1] = id, tries + lost + 1
  alone.begins(key_source)
end
local function welcome()
  return max_workers == 0 or (rank or call('ZCARD', key_source_sessions)) < max_workers
end
local function claim_some()
  local free = claimable - isolated
  local take = welcome() and math.min(wanted, free) or 0
  local listed = math.min(take, free - (count - cursor))
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
    local ids = call('LPOP', key_task_queue, listed) or {}
    local troubles = #ids > 0 and call('HMGET', key_trouble, unpack(ids)) or {}
    for i = 1, #ids do
      local tries, lost = trouble.parse(troubles[i])
      if lost >= alone.LOSSES then
        call('RPUSH', key_task_queue, ids[i])
        isolated, take = isolated + 1, take - 1
      else
        claims[#claims + 1], claim_trials[#claims + 1] = ids[i], tries + lost + 1
      end
    end
  end
  for i = #claims + 1, take do
    claims[i], claim_trials[i] = string.format('%.0f', cursor), 1
    cursor = cursor + 1
  end
end
alone.barred = alone.bars() -- also where nothing is wanted: a task that ran alone may have ended
if wanted > 0 and status == 'running' and alone.barred then
  kept_for_others = claimable > 0
elseif wanted > 0 and status == 'running' then
  local empty = isolated > 0 and alone.is_empty()
  if isolated == 0 then alone.forgets_turn() end
  if empty and welcome() then
    claim_isolated()
  elseif isolated > 0 and not empty and alone.takes_turn(key_source) then
    kept_for_others = true
  elseif claimable > isolated then
    claim_some()
    if #claims == 0 and isolated > 0 and welcome() and alone.is_empty() then claim_isolated() end
  end
  if #claims == 0 and isolated > 0 then kept_for_others = true end
end
if isolated ~= alone.before then call('HSET', key_source, 'isolated', isolated) end
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
