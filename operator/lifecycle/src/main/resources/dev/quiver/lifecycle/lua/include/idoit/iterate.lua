-- The answers of iterators' functions.
-- MODULE idoit_iteration
-- USES idoit/wire idoit/claims worker/settling worker/fate common/now common/decimal
local LOSSES = 3
function idoit_iteration.most_tries(t, most)
  local options = idoit.decoded(t.quiver)
  if type(options) == 'table' and type(options.maxTrials) == 'number' then most = options.maxTrials end
  return most + LOSSES
end
function idoit_iteration.worker_lost(c, t, tries)
  local words = 'the worker was lost after ' .. (tries - 1) .. ' starts' .. fate.last_kept(idoit.key(c, t.key))
  return '{"name":"WorkerLost","message":"' .. words .. '"}'
end
local AGAIN_MS, WINDOW = 1000, 1000
-- What a function answered, in the kind of a settlement. Java has the same in IdoitAnswer.Kind.
idoit_iteration.NO_MORE = 'n'
idoit_iteration.NOTHING_NOW = 'e'
idoit_iteration.CHILDREN = 't'
idoit_iteration.SENSELESS = 'b'
-- Data of new children:
-- {was, now, tops, tasks: [{key, fields}]}, all values texts, tops the keys of its own children; of what makes no sense
-- an error.
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
function idoit_iteration.take(c, t, kind, data, number)
  local command = idoit_locks.call_ended(c, t, c.arg_session, number, '')
  if not command then return settling.VOID end
  call('ZREM', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), command)
  if not idoit.is_in(t, 'idle') then return settling.VOID end
  call('HDEL', idoit.key(c, t.key), 'quiver_tries', 'quiver_lost', 'quiver_fate')
  local created, finished = tonumber(t.children_created) or 0, tonumber(t.children_finished or '0') or 0
  local answer = kind == idoit_iteration.CHILDREN and answered(data)
  if kind == idoit_iteration.CHILDREN and not answer then kind, data = idoit_iteration.SENSELESS, NO_ANSWER end
  if kind == idoit_iteration.SENSELESS then
    call('SREM', idoit.key(c, 'idle'), t.key)
    idoit.fail(c, t, data)
  elseif kind == idoit_iteration.NO_MORE and finished >= created then
    call('SREM', idoit.key(c, 'idle'), t.key)
    idoit.succeed(c, t, '')
  elseif kind == idoit_iteration.CHILDREN then
    if answer.was ~= call('HGET', idoit.key(c, t.key), 'user_data') then -- another one was quicker
      idoit.tell(c, t, 'iterate')
      return settling.COUNTED
    end
    idoit.add(c, t, 'children_created', #answer.tops)
    idoit.written(c, t, 'user_data', answer.now)
    for i = 1, #answer.tasks do
      local new = answer.tasks[i]
      call('HSET', idoit.key(c, new.key), unpack(new.fields))
      call('SADD', idoit.key(c, 'waiting'), new.key)
    end
    for i = 1, #answer.tops do
      call('SADD', idoit.key(c, 'ichunks:' .. t.key), answer.tops[i])
      local top = idoit.read(c, answer.tops[i])
      if top then idoit.tell(c, top, 'activate') end
    end
  elseif kind == idoit_iteration.NOTHING_NOW and finished >= created then -- no child's end would ask again
    call('ZADD', idoit.key(c, idoit.pool_of(t) .. ':commands'), decimal.of(c.now + AGAIN_MS), command)
  end
  return settling.COUNTED
end
function idoit_iteration.fail(c, t, kind, data, number)
  local delay = settling.delay(kind)
  if not delay then return idoit_iteration.take(c, t, idoit_iteration.SENSELESS, data, number) end
  local command = idoit_locks.call_ended(c, t, c.arg_session, number, '')
  if not command then return settling.VOID end
  call('ZADD', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), decimal.of(c.now + delay), command) -- the watchdog brings it back
  return settling.RETRIED
end
local function refuse_call(c, t, command) -- takes the command away
  call('HDEL', c.key_iterations, t.key)
  call('ZREM', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), command)
end
-- Iterators that wait for a call, which goes on while its command stays locked. Answers the iterator and the command if it
-- may be called now, which `held_back` may refuse.
function idoit_iteration.may_call(c, id, entry, served, held_back)
  local t, deadline, command = idoit.read(c, id), string.match(entry, '^(%d+)/(.*)$')
  local locked = t and command and call('ZSCORE', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), command)
  if locked ~= deadline or not idoit.is_in(t, 'idle') or not t.children_created then
    call('HDEL', c.key_iterations, id)
    return nil
  end
  local most = served[t.name]
  if not most or call('HEXISTS', c.key_iterating, id) == 1 or held_back(t, most) then return nil end
  if (tonumber(t.children_created) or 0) - (tonumber(t.children_finished or '0') or 0) >= WINDOW then
    refuse_call(c, t, command) -- a child's end asks again
    return nil
  end
  local tries = idoit.add(c, t, 'quiver_tries', 1)
  if tries > idoit_iteration.most_tries(t, most) then
    refuse_call(c, t, command)
    call('SREM', idoit.key(c, 'idle'), id)
    idoit.fail(c, t, idoit_iteration.worker_lost(c, t, tries))
    return nil
  end
  return t, command
end
