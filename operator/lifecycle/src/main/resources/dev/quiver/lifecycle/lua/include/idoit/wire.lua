-- The tasks of npm's idoit 4.0.0 under a granted prefix. A task is a hash whose values are JSON texts. Its keys and those of
-- its pool are named by what is read there, so they cannot be declared: idoit's own scripts declare none either. No prefix
-- is granted on a Redis Cluster. Texts that idoit compares byte by byte are put together from texts, never written anew.
-- Additions to a hash are quiver (of what Quiver created), quiver_lock, quiver_tries, quiver_lost and quiver_children (while
-- it is not over).
-- Uses now.
-- ARGV prefix: that is granted. It is no key: Redis would refuse the call of a session whose grant was taken away, which
--   has to be told so
-- ARGV random: characters that no other call brings
local NAMES = {'id', 'name', 'uid', 'state', 'pool', 'children_finished', 'children_created', 'total', 'progress',
  'removeDelay', 'parent', 'parent_uid', 'parent_pool', 'quiver', 'quiver_lock', 'quiver_tries', 'quiver_lost',
  'quiver_children'}
local CANCELED = '{"code":"CANCELED","name":"Error","message":"idoit error: task canceled"}'
local CHILDREN_BYTES, MOST_CHILDREN, TEXT_BYTES, LONGEST_MS = 4194304, 20000, 65536, 1e14
-- Tasks that a script looks at below others. What is left when none are goes on by commands, or at the next call.
local tasks_left = 10000
local function whole(number) return string.format('%.0f', number) end
local function wire(name) return arg_prefix .. name end
local function decoded(json) -- nothing where it is no JSON
  local ok, value = pcall(cjson.decode, '[' .. (json or '') .. ']')
  return ok and value[1] or nil
end
local function text(json)
  if json and #json > TEXT_BYTES then return '' end
  local value = decoded(json)
  return type(value) == 'string' and value or ''
end
-- The fields that scripts know of a task, false where there is none; nothing for a task that is gone. A key that is no task
-- is none, nor one without what a command to it or to its parent needs: npm's programs cannot read such a hash either.
local function read(id)
  local values, t = redis.pcall('HMGET', wire(id), unpack(NAMES)), {key = id}
  if values.err or not values[2] then return nil end
  for i = 1, #NAMES do t[NAMES[i]] = values[i] end
  local delay = tonumber(t.removeDelay or '0')
  if not t.id or not t.uid or text(t.name) == '' or t.parent and (not t.parent_uid or text(t.parent_pool) == '')
    or not delay or not (delay >= 0 and delay < LONGEST_MS) then
    return nil
  end
  return t
end
local function is(t, state) return t.state == '"' .. state .. '"' end
local function pool_of(t) return text(t.pool) end
local function written(t, ...) call('HSET', wire(t.key), ...) end
-- Commands go to the pool of the task that they are for; whoever works there runs them.
local sent, told = 0, {}
local function send(pool, to, uid, kind, data, at)
  sent = sent + 1
  told[pool] = true
  call('ZADD', wire(pool .. ':commands'), whole(at or now), '{"to":' .. to .. ',"to_uid":' .. uid .. ',"type":"' .. kind .. '"'
    .. (data and ',"data":' .. data or '') .. ',"rnd":"' .. arg_random .. string.format('%06d', sent) .. '"}')
end
local function tell(t, kind, data, at) send(pool_of(t), t.id, t.uid, kind, data, at) end
local function tell_parent(t, kind, data)
  if t.parent then send(text(t.parent_pool), t.parent, t.parent_uid, kind, data) end
end
-- Whoever ends a task takes it out of its state first.
local function over(t, ...)
  call('ZADD', wire('finished'), whole(now + (tonumber(t.removeDelay or '0') or 0)), t.key)
  call('HDEL', wire(t.key), 'quiver_lock', 'quiver_tries', 'quiver_lost', 'quiver_children')
  written(t, 'state', '"finished"', ...)
  t.state = '"finished"'
end
local function succeed(t, result) -- no result where it is empty
  if result == '' then
    over(t, 'progress', t.total or '1')
    tell_parent(t, 'result', '{"id":' .. t.id .. '}')
  else
    over(t, 'progress', t.total or '1', 'result', result)
    tell_parent(t, 'result', '{"id":' .. t.id .. ',"result":' .. result .. '}')
  end
end
local function fail(t, err)
  over(t, 'error', err)
  tell_parent(t, 'error', '{"error":' .. err .. '}')
end
local function children(t) -- ids of a chain's or group's; nothing where they are too many
  if call('HSTRLEN', wire(t.key), 'children') > CHILDREN_BYTES then return nil end
  local ids = decoded(call('HGET', wire(t.key), 'children'))
  if type(ids) ~= 'table' then return {} end
  return #ids <= MOST_CHILDREN and ids or nil
end
local function too_many_children(t)
  call('SREM', wire('idle'), t.key)
  fail(t, '{"name":"QueueError","message":"Error: a task has more than ' .. MOST_CHILDREN .. ' children"}')
end
-- Adds to a number that another program may have written; what is none counts as 0. Answers the sum.
local function add(t, field, by)
  local there = tonumber(call('HGET', wire(t.key), field) or '0')
  local sum = (there and math.abs(there) < LONGEST_MS and math.floor(there) or 0) + by
  written(t, field, whole(sum))
  return sum
end
-- The tasks that are there below it, each once, behind itself, and the first one of them whose own children it has not seen.
local function below(t)
  local all, seen, at, bytes_left = {t}, {[t.key] = true}, 1, CHILDREN_BYTES
  while all[at] and tasks_left > 0 do
    local of, ids = all[at], {}
    if of.children_created then
      local live = wire('ichunks:' .. of.key)
      if call('SCARD', live) > MOST_CHILDREN then break end
      ids = call('SMEMBERS', live)
    elseif of.children_finished then
      bytes_left = bytes_left - call('HSTRLEN', wire(of.key), 'children')
      if bytes_left < 0 then break end
      ids = children(of) or {}
    end
    at = at + 1
    tasks_left = tasks_left - 1 - #ids
    for i = 1, #ids do
      local id = tostring(ids[i])
      if not seen[id] then
        seen[id] = true
        all[#all + 1] = read(id)
      end
    end
  end
  return all, at
end
-- Whether a task of `below` has children that were not seen, which a command to it ends.
local function unseen(all, i, from)
  return i > 1 and i >= from and (all[i].children_created or all[i].children_finished)
end
local function leave(t) -- every state but the last
  call('SREM', wire('waiting'), t.key)
  call('SREM', wire('idle'), t.key)
  call('ZREM', wire('locked'), t.key)
  call('ZREM', wire('restart'), t.key)
  call('SREM', wire(pool_of(t) .. ':startable'), t.key)
end
local function cancel_below(t)
  local all, from = below(t)
  for i = 2, #all do
    if unseen(all, i, from) then
      tell(all[i], 'error', '{"error":' .. CANCELED .. '}')
    else
      leave(all[i])
      if not is(all[i], 'finished') then over(all[i], 'error', CANCELED) end
    end
  end
end
local function startable(t)
  call('SADD', wire(pool_of(t) .. ':startable'), t.key)
  written(t, 'state', '"startable"')
end
