-- Runs commands of a pool of the wire. Guarantee: each once, by whoever takes it away; its effect and its removal are one;
-- a command to a task that is gone, or was made anew under its id, goes without effect.
-- FOR operator, worker
-- FLAGS allow-oom
-- ARGV serving: 0..4096; number of iterators' types that the pool's workers run
-- ARGV rows...: 0..5120; those types, then commands as (as read, to, to_uid, kind, id of a child, payload), all texts; a
--   payload is a
--   result, empty for none, an error, or a number
-- RETURNS {OK, taken: commands, pools...: that got commands}
-- USES idoit/wire idoit/source common/now common/decimal
idoit.open(c)
local served, first = {}, arg_rows + tonumber(arg_serving)
for i = arg_rows, first - 1 do served[ARGV[i]] = true end
local COMMAND_LOCK_MS, came = 30000, 0
local function falsy(json) -- as idoit has it: such a result is not passed along
  return json == '' or json == 'null' or json == 'false' or json == '""' or tonumber(json) == 0
end
local function start(id)
  local child = idoit.read(c, tostring(id))
  if child then idoit.tell(c, child, 'activate') end
end
local function idle(t)
  call('SADD', idoit.key(c, 'idle'), t.key)
  idoit.written(c, t, 'state', '"idle"')
end
local function kind_of(t)
  if t.children_created then return 'iterator' end
  if not t.children_finished then return 'task' end
  local name = idoit.text(t.name)
  return (name == 'chain' or name == 'group') and name or nil
end
local function append_argument(id, json)
  local args = call('HGET', idoit.key(c, id), 'args')
  if not args then return end
  local open = string.match(args, '^(%s*%[.*)%]%s*$')
  if not open then return end
  call('HSET', idoit.key(c, id), 'args', open .. (string.match(open, '^%s*%[%s*$') and '' or ',') .. json .. ']')
end
local activate = {
  task = function(t)
    idoit.startable(c, t)
    came = came + 1
  end,
  chain = function(t)
    local ids = idoit.children(c, t)
    if not ids then return idoit.too_many_children(c, t) end
    idle(t)
    start(ids[1])
  end,
  group = function(t)
    local ids = idoit.children(c, t)
    if not ids then return idoit.too_many_children(c, t) end
    c.tasks_left = c.tasks_left - #ids
    idle(t)
    idoit.written(c, t, 'quiver_children', #ids)
    for i = 1, #ids do start(ids[i]) end
  end,
  iterator = function(t)
    idle(t)
    idoit.tell(c, t, 'iterate')
  end,
}
local RESULTS_BYTES = 67108864 -- of a group
local function finish_group(t)
  local finished, bytes = tonumber(call('HGET', idoit.key(c, t.key), 'children_finished') or '0') or 0, 0
  if t.quiver_children and finished < (tonumber(t.quiver_children) or 0) then return end -- its list need not be read
  local ids, results = idoit.children(c, t), {}
  if not ids then return idoit.too_many_children(c, t) end
  c.tasks_left = c.tasks_left - #ids
  if finished < #ids then return idoit.written(c, t, 'quiver_children', #ids) end
  call('SREM', idoit.key(c, 'idle'), t.key)
  for i = 1, #ids do
    local length = redis.pcall('HSTRLEN', idoit.key(c, tostring(ids[i])), 'result')
    bytes = bytes + (type(length) == 'number' and length or 0)
    if bytes > RESULTS_BYTES then
      return idoit.fail(c, t, '{"name":"QueueError","message":"Error: the results of a group take more than ' .. RESULTS_BYTES .. ' bytes"}')
    end
    local values = redis.pcall('HMGET', idoit.key(c, tostring(ids[i])), 'name', 'result')
    if values.err or not values[1] then
      idoit.fail(c, t, '{"name":"QueueError","message":"Error: Group error: terminating task because children deleted (task: '
        .. idoit.text(t.name) .. ', state: idle, task ID: ' .. t.key .. ')"}')
      return
    end
    results[i] = values[2] or 'null'
  end
  idoit.succeed(c, t, '[' .. table.concat(results, ',') .. ']')
end
local result = {
  chain = function(t, _, payload)
    local ids, done = idoit.children(c, t), idoit.add(c, t, 'children_finished', 1)
    if not ids then return idoit.too_many_children(c, t) end
    if done < #ids then
      if not falsy(payload) then append_argument(tostring(ids[done + 1]), payload) end
      start(ids[done + 1])
    else
      call('SREM', idoit.key(c, 'idle'), t.key)
      idoit.succeed(c, t, payload)
    end
  end,
  group = function(t)
    idoit.add(c, t, 'children_finished', 1)
    finish_group(t)
  end,
  iterator = function(t, child)
    call('SREM', idoit.key(c, 'ichunks:' .. t.key), child)
    idoit.add(c, t, 'children_finished', 1)
    idoit.tell(c, t, 'iterate')
  end,
}
-- One call of an iterator answers all that asked before it; the next one waits for its end. A command that another program
-- has taken meanwhile answers nothing of what came since.
local function iterate(t, command)
  local deadline, asked = string.match(call('HGET', key_iterations, t.key) or '', '^(%d+)/(.*)$')
  local covered = asked and asked ~= command
    and (call('ZSCORE', idoit.key(c, arg_pool .. ':commands_locked'), asked) == deadline
      or call('ZSCORE', idoit.key(c, arg_pool .. ':commands'), asked))
  if covered then return end
  local lapses = decimal.of(now + COMMAND_LOCK_MS)
  call('ZADD', idoit.key(c, arg_pool .. ':commands_locked'), lapses, command)
  call('HSET', key_iterations, t.key, lapses .. '/' .. command)
  came = came + 1
end
local function act(t, kind, of, command, child, payload)
  if kind == 'activate' and idoit.is_in(t, 'waiting') then
    call('SREM', idoit.key(c, 'waiting'), t.key)
    activate[of](t)
  elseif kind == 'result' and idoit.is_in(t, 'idle') and result[of] then
    result[of](t, child, payload)
  elseif kind == 'group_check' and idoit.is_in(t, 'idle') and of == 'group' then
    finish_group(t)
  elseif kind == 'iterate' and idoit.is_in(t, 'idle') and of == 'iterator' then
    iterate(t, command)
  elseif kind == 'error' and not idoit.is_in(t, 'finished') then
    idoit.cancel_below(c, t)
    idoit.leave(c, t)
    idoit.fail(c, t, payload)
  elseif kind == 'progress' and #payload < 15 and string.match(payload, '^%-?%d+$') then
    if not idoit.is_in(t, 'finished') then idoit.add(c, t, 'progress', payload) end
    idoit.tell_parent(c, t, 'progress', payload)
  end
end
local taken, commands = 0, idoit.key(c, arg_pool .. ':commands')
for i = first, #ARGV - 5, 6 do
  if c.tasks_left <= 0 then break end -- the others stay
  local command, to, uid, kind = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local t = idoit.read(c, to)
  local of = t and kind_of(t)
  local mine = not t or of and (kind ~= 'iterate' or served[t.name])
  if mine and call('ZREM', commands, command) == 1 then
    taken = taken + 1
    if t and t.uid == uid then act(t, kind, of, command, ARGV[i + 4], ARGV[i + 5]) end
  end
end
idoit_source.keep(c, 0, came, taken == 0)
local out = {OK, taken}
for pool in pairs(c.told) do out[#out + 1] = pool end
return out
