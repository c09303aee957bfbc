-- The answers of iterators' functions. Uses wire, claims.
local LOSSES = 3
local function most_tries(t, most)
  local options = decoded(t.quiver)
  if type(options) == 'table' and type(options.attempts) == 'number' then most = options.attempts end
  return most + LOSSES
end
local function worker_lost(tries)
  return '{"name":"WorkerLost","message":"the worker was lost after ' .. (tries - 1) .. ' starts"}'
end
local AGAIN_MS, WINDOW = 1000, 1000
-- What a function answered, once: kind n no more, e nothing now, t new children, b an answer that makes no sense. Data of t:
-- {was, now, tops, tasks: [{key, fields}]}, all values texts, tops the keys of its own children; of b an error.
local ANSWER_BYTES, ANSWER_TASKS, ANSWER_FIELDS = 4194304, 10000, 256
local NO_ANSWER = '{"name":"AnswerInvalid","message":"the answer cannot be read"}'
local function answered(data) -- nothing where it makes no sense
  local ok, answer = pcall(cjson.decode, #data <= ANSWER_BYTES and data or '')
  if not ok or type(answer) ~= 'table' or type(answer.tops) ~= 'table' or type(answer.tasks) ~= 'table'
    or type(answer.now) ~= 'string' or #answer.tasks > ANSWER_TASKS or #answer.tops > ANSWER_TASKS then
    return nil
  end
  for _, new in ipairs(answer.tasks) do
    if type(new) ~= 'table' or type(new.key) ~= 'string' or type(new.fields) ~= 'table' or #new.fields == 0
      or #new.fields % 2 ~= 0 or #new.fields > ANSWER_FIELDS then
      return nil
    end
    for _, field in ipairs(new.fields) do
      if type(field) ~= 'string' then return nil end
    end
  end
  for _, top in ipairs(answer.tops) do
    if type(top) ~= 'string' then return nil end
  end
  return answer
end
local function iterated(t, kind, data, number)
  local command = call_ended(t, arg_session, number)
  if not command then return 'v' end
  call('ZREM', wire(pool_of(t) .. ':commands_locked'), command)
  if not is(t, 'idle') then return 'v' end
  call('HDEL', wire(t.key), 'quiver_tries', 'quiver_lost')
  local created, finished = tonumber(t.children_created) or 0, tonumber(t.children_finished or '0') or 0
  local answer = kind == 't' and answered(data)
  if kind == 't' and not answer then kind, data = 'b', NO_ANSWER end
  if kind == 'b' then
    call('SREM', wire('idle'), t.key)
    fail(t, data)
  elseif kind == 'n' and finished >= created then
    call('SREM', wire('idle'), t.key)
    succeed(t, '')
  elseif kind == 't' then
    if answer.was ~= call('HGET', wire(t.key), 'user_data') then -- another one was quicker
      tell(t, 'iterate')
      return 'c'
    end
    add(t, 'children_created', #answer.tops)
    written(t, 'user_data', answer.now)
    for i = 1, #answer.tasks do
      local new = answer.tasks[i]
      call('HSET', wire(new.key), unpack(new.fields))
      call('SADD', wire('waiting'), new.key)
    end
    for i = 1, #answer.tops do
      call('SADD', wire('ichunks:' .. t.key), answer.tops[i])
      local top = read(answer.tops[i])
      if top then tell(top, 'activate') end
    end
  elseif kind == 'e' and finished >= created then -- no child's end would ask again
    call('ZADD', wire(pool_of(t) .. ':commands'), whole(now + AGAIN_MS), command)
  end
  return 'c'
end
local function iteration_failed(t, kind, data, number)
  local delay = string.match(kind, '^d(%d+)$')
  if not delay then return iterated(t, 'b', data, number) end
  local command = call_ended(t, arg_session, number)
  if not command then return 'v' end
  call('ZADD', wire(pool_of(t) .. ':commands_locked'), whole(now + delay), command) -- the watchdog brings it back
  return 't'
end
local function refuse_call(t, command) -- takes the command away
  call('HDEL', key_iterations, t.key)
  call('ZREM', wire(pool_of(t) .. ':commands_locked'), command)
end
-- Iterators that wait for a call, which goes on while its command stays locked. Answers the iterator and the command if it
-- may be called now, which `held_back` may refuse.
local function may_call(id, entry, served, held_back)
  local t, deadline, command = read(id), string.match(entry, '^(%d+)/(.*)$')
  local locked = t and command and call('ZSCORE', wire(pool_of(t) .. ':commands_locked'), command)
  if locked ~= deadline or not is(t, 'idle') or not t.children_created then
    call('HDEL', key_iterations, id)
    return nil
  end
  local most = served[t.name]
  if not most or call('HEXISTS', key_iterating, id) == 1 or held_back(t, most) then return nil end
  if (tonumber(t.children_created) or 0) - (tonumber(t.children_finished or '0') or 0) >= WINDOW then
    refuse_call(t, command) -- a child's end asks again
    return nil
  end
  local tries = add(t, 'quiver_tries', 1)
  if tries > most_tries(t, most) then
    refuse_call(t, command)
    call('SREM', wire('idle'), id)
    fail(t, worker_lost(tries))
    return nil
  end
  return t, command
end
