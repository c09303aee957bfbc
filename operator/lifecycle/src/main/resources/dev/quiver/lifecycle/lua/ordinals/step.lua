-- Settles what a session ran of a source and claims what it has room for. Guarantee: done once for each
-- (session, call); a repeat gives the same answer; every settlement is checked against the fence of its claim.
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS delayed: sources with delayed tasks
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS failures: sample
-- KEYS held: what this session holds, id to call@place, # to the last call
-- KEYS source_sessions: sessions that work at the source
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- KEYS reports: where the source reports its changes
-- KEYS meta: hash of the keyspace (changes)
-- KEYS history: stream of settled trials
-- ARGV session: id of the session
-- ARGV executed: calls of the session that it knows to be executed
-- ARGV call: call number, growing within the session
-- ARGV source: its name in the pool's order
-- ARGV history_on: 1 writes the history entry
-- ARGV max_bytes: payload bytes to give out at most
-- ARGV settles: number of settlements
-- ARGV rows...: settlements as (id, call of the claim, kind, run ms, failure or place), then a place for each claim.
--   Kinds: p passed, f failed, x failed for good, d<ms> failed and not to be tried again before so many ms, l lost,
--   r returned, m moved
-- RETURNS {OK, status, claimable, member 0|1, executed, verdicts c|t|a|v, (id, place, trial, payload)...}
--   | {CONDEMNED} | {GONE} | {STALE}
-- INCLUDE common/now
-- INCLUDE worker/live
-- INCLUDE ordinals/changed
-- INCLUDE ordinals/finish
-- INCLUDE ordinals/promote
-- INCLUDE worker/turn
-- INCLUDE ordinals/ready
-- INCLUDE ordinals/sample
-- INCLUDE ordinals/trouble
-- INCLUDE ordinals/lost
-- INCLUDE ordinals/claimed
-- INCLUDE ordinals/verdict
local MOST_PROMOTED = 256
local h = call('HMGET', key_source, 'status', 'max_trials', 'max_failed', 'max_workers', 'deadline_at', 'fed', 'count',
  'cursor', 'source_closed', 'left', 'running', 'succeeded_count', 'failed_count', 'lost_count', 'trials', 'run_ms',
  'passed_ms', 'ended_samples', 'max_payload', 'ready', 'max_lost', 'delayed')
local status = h[1]
if not status then
  call('UNLINK', key_held)
  call('HDEL', key_session, 'set:' .. arg_source)
  call('ZREM', key_ready, arg_source)
  if call('LLEN', key_wake) == 0 and call('ZCARD', key_ready) > 0 then call('RPUSH', key_wake, '') end
  return {GONE}
end
local this_call, settles = tonumber(arg_call), tonumber(arg_settles)
local wanted = #ARGV - arg_rows + 1 - settles * 5
local places = arg_rows + settles * 5
local max_failed, max_workers = tonumber(h[3]), tonumber(h[4])
local is_fed = h[6] == '1'
local count, cursor = tonumber(h[7]), tonumber(h[8])
local left, running = tonumber(h[10]), tonumber(h[11])
local delayed = tonumber(h[22] or '0')

local asked = {'#'}
for i = 0, settles - 1 do asked[i + 2] = ARGV[arg_rows + i * 5] end
local entries = call('HMGET', key_held, unpack(asked))
local rank = call('ZRANK', key_source_sessions, arg_session)
local last_call, last_verdicts
if entries[1] then
  last_call, last_verdicts = string.match(entries[1], '^(%d+)(.*)$')
  last_call = tonumber(last_call)
else
  last_call = tonumber(call('HGET', key_session, 'floor') or '0')
end
if this_call < last_call or (this_call == last_call and not last_verdicts) then return {STALE} end

local function answer(verdicts, claims, trials, held_places)
  local claimable = 0
  if status == 'running' or status == 'suspended' then claimable = left - running - delayed end
  local out = {OK, status, claimable, rank and 1 or 0, executed, verdicts}
  if #claims == 0 then return out end
  local payloads = is_fed and call('HMGET', key_payload, unpack(claims))
  for i = 1, #claims do
    local at = #out
    out[at + 1], out[at + 2], out[at + 3] = claims[i], held_places[i], trials[i]
    out[at + 4] = payloads and payloads[i] or ''
  end
  return out
end

if this_call == last_call then
  return answer(last_verdicts, claimed(arg_call))
end

local ended = status ~= 'running' and status ~= 'suspended'
local deadline = tonumber(h[5])
local was_final = ended
if status == 'running' and deadline > 0 and now >= deadline then
  status, ended = 'failed', true
  finish(status, 'DeadlineExceeded', '')
  delayed = 0
end

local succeeded, failed, trial_count = tonumber(h[12]), tonumber(h[13]), tonumber(h[15])
local lost_count = tonumber(h[14])
local run_ms, passed_ms, ended_samples = tonumber(h[16]), tonumber(h[17]), tonumber(h[18])
local may_have_trouble = trial_count > succeeded or lost_count > 0
local verdicts, released, decided, passed, again, later, history = {}, {}, {}, {}, {}, {}, {}
for i = 0, settles - 1 do
  local at = arg_rows + i * 5
  local id, prefix, kind, ms = ARGV[at], ARGV[at + 1] .. '@', ARGV[at + 2], tonumber(ARGV[at + 3])
  local entry = entries[i + 2]
  if not entry or string.sub(entry, 1, #prefix) ~= prefix then
    verdicts[i + 1] = ended and 'v' or 'a'
  elseif ended then
    verdicts[i + 1] = 'v'
    released[#released + 1] = id
  elseif kind == 'm' then
    verdicts[i + 1] = 'c'
    call('HSET', key_held, id, prefix .. ARGV[at + 4])
  else
    verdicts[i + 1] = 'c'
    released[#released + 1] = id
    if kind == 'p' then
      trial_count, run_ms, passed_ms = trial_count + 1, run_ms + ms, passed_ms + ms
      succeeded, left = succeeded + 1, left - 1
      decided[#decided + 1], passed[#passed + 1] = id, id
    elseif kind ~= 'r' then
      local tries, lost = parse_trouble(call('HGET', key_trouble, id))
      if kind == 'l' then
        lost, lost_count = lost + 1, lost_count + 1
      else
        tries, trial_count, run_ms = tries + 1, trial_count + 1, run_ms + ms
      end
      if kind == 'x' or tries >= tonumber(h[2]) or lost_too_often(lost, tonumber(h[21])) then
        failed, left = failed + 1, left - 1
        decided[#decided + 1] = id
        call('HDEL', key_trouble, id)
        ended_samples = sample(id, 'F', ARGV[at + 4], ended_samples)
      else
        verdicts[i + 1] = 't'
        local delay = string.match(kind, '^d(%d+)$')
        if delay then
          later[#later + 1], later[#later + 2] = now + tonumber(delay), id
        else
          again[#again + 1] = id
        end
        call('HSET', key_trouble, id, tries .. ':' .. lost)
        sample(id, 'R', ARGV[at + 4], ended_samples)
      end
    else
      again[#again + 1] = id
    end
    if arg_history_on == '1' and kind ~= 'r' then
      history[#history + 1] = id .. '\t' .. ARGV[at + 1] .. '\t' .. kind .. '\t' .. ms .. '\t' .. ARGV[at + 4]
    end
  end
end
if #released > 0 then
  call('HDEL', key_held, unpack(released))
  if not ended then running = running - #released end
end
if #passed > 0 and may_have_trouble and call('HDEL', key_trouble, unpack(passed)) > 0 then
  call('HDEL', key_failures, unpack(passed))
end
if #decided > 0 and is_fed then call('HDEL', key_payload, unpack(decided)) end
if #again > 0 then
  local front = {}
  for i = #again, 1, -1 do front[#front + 1] = again[i] end
  call('LPUSH', key_task_queue, unpack(front))
end
local was_delayed = delayed
if #later > 0 then
  call('ZADD', key_source_delayed, unpack(later))
  delayed = delayed + #later / 2
end
if delayed > 0 then delayed = delayed - promote(MOST_PROMOTED) end
if #history > 0 then
  call('XADD', key_history, '*', 'u', arg_source, 's', arg_session, 't', now, 'r', table.concat(history, '\n'))
end

local over, finished
if not ended then over, finished = verdict(left, failed, max_failed, h[9] == '1') end
if over then status = over end

local claims, trials, held_places = {}, {}, {}
local claimable = left - running - delayed
if wanted > 0 and status == 'running' and claimable > 0 then
  local welcome = max_workers == 0
  if not welcome then
    if rank then welcome = rank < max_workers else welcome = call('ZCARD', key_source_sessions) < max_workers end
  end
  local take = welcome and math.min(wanted, claimable) or 0
  local listed = math.min(take, claimable - (count - cursor))
  if take > 0 and is_fed and take * tonumber(h[19]) > tonumber(arg_max_bytes) then
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
      trials[i] = tries + lost + 1
    end
  end
  for i = #claims + 1, take do
    claims[i], trials[i] = string.format('%.0f', cursor), 1
    cursor = cursor + 1
  end
  if #claims > 0 then
    local rows = {}
    for i = 1, #claims do
      held_places[i] = ARGV[places + i - 1]
      rows[i * 2 - 1], rows[i * 2] = claims[i], arg_call .. '@' .. held_places[i]
    end
    call('HSET', key_held, unpack(rows))
    running = running + #claims
    if not rank then
      call('ZADD', key_source_sessions, call('HINCRBY', key_source, 'joined', 1), arg_session)
      call('HSET', key_session, 'set:' .. arg_source, 1)
      rank = call('ZRANK', key_source_sessions, arg_session)
    end
  end
end

local did = table.concat(verdicts)
if rank and #claims == 0 and call('HLEN', key_held) <= 1 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:' .. arg_source)
  rank = false
end
if rank then
  call('HSET', key_held, '#', arg_call .. did)
elseif this_call > tonumber(call('HGET', key_session, 'floor') or '0') then
  call('HSET', key_session, 'floor', arg_call)
end

local counted = not ended and #released > 0
if counted or #claims > 0 then
  call('HSET', key_source, 'cursor', cursor, 'left', left, 'running', running, 'succeeded_count', succeeded,
    'failed_count', failed, 'lost_count', lost_count, 'trials', trial_count, 'run_ms', run_ms, 'passed_ms', passed_ms,
    'ended_samples', ended_samples, 'progress_at', now)
end
if not ended and delayed ~= was_delayed then call('HSET', key_source, 'delayed', delayed) end
if finished then finish(status, finished, '') end
update_ready(status, left - running - delayed, max_workers, h[20] == '1')
if counted or #claims > 0 or finished or ended ~= was_final then changed() end
return answer(did, claims, trials, held_places)
