-- The tasks of npm's idoit 4.0.0 under a granted prefix. A task is a hash whose values are JSON texts. Its keys and those of
-- its pool are named by what is read there, so they cannot be declared: idoit's own scripts declare none either. No prefix
-- is granted on a Redis Cluster. Texts that idoit compares byte by byte are put together from texts, never written anew.
-- Additions to a hash are quiver (of what Quiver created), quiver_lock, quiver_tries, quiver_lost, quiver_fate and quiver_children (while
-- it is not over).
-- ARGV prefix: that is granted. It is no key: Redis would refuse the call of a session whose grant was taken away, which
--   has to be told so
-- ARGV random: characters that no other call brings
-- MODULE idoit
-- USES common/now common/decimal
local TASKS = 10000 -- that a script looks at below others. What is left when none are goes on by commands, or at the next call
function idoit.open(c) c.tasks_left, c.sent, c.told = TASKS, 0, {} end
local NAMES = {'id', 'name', 'uid', 'state', 'pool', 'children_finished', 'children_created', 'total', 'progress',
  'removeDelay', 'parent', 'parent_uid', 'parent_pool', 'quiver', 'quiver_lock', 'quiver_tries', 'quiver_lost',
  'quiver_children'}
idoit.CANCELED = '{"code":"CANCELED","name":"Error","message":"idoit error: task canceled"}'
local CHILDREN_BYTES, MOST_CHILDREN, TEXT_BYTES, LONGEST_MS = 4194304, 20000, 65536, 1e14
function idoit.key(c, name) return c.arg_prefix .. name end
function idoit.decoded(json) -- nothing where it is no JSON
  local ok, value = pcall(cjson.decode, '[' .. (json or '') .. ']')
  return ok and value[1] or nil
end
function idoit.text(json)
  if json and #json > TEXT_BYTES then return '' end
  local value = idoit.decoded(json)
  return type(value) == 'string' and value or ''
end
-- The fields that scripts know of a task, false where there is none; nothing for a task that is gone. A key that is no task
-- is none, nor one without what a command to it or to its parent needs: npm's programs cannot read such a hash either.
function idoit.read(c, id)
  local values, t = redis.pcall('HMGET', idoit.key(c, id), unpack(NAMES)), {key = id}
  if values.err or not values[2] then return nil end
  for i = 1, #NAMES do t[NAMES[i]] = values[i] end
  local delay = tonumber(t.removeDelay or '0')
  if not t.id or not t.uid or idoit.text(t.name) == '' or t.parent and (not t.parent_uid or idoit.text(t.parent_pool) == '')
    or not delay or not (delay >= 0 and delay < LONGEST_MS) then
    return nil
  end
  return t
end
function idoit.is_in(t, state) return t.state == '"' .. state .. '"' end
function idoit.pool_of(t) return idoit.text(t.pool) end
function idoit.written(c, t, ...) call('HSET', idoit.key(c, t.key), ...) end
-- Commands go to the pool of the task that they are for; whoever works there runs them.
local function send(c, pool, to, uid, kind, data, at)
  c.sent = c.sent + 1
  c.told[pool] = true
  call('ZADD', idoit.key(c, pool .. ':commands'), decimal.of(at or c.now), '{"to":' .. to .. ',"to_uid":' .. uid .. ',"type":"' .. kind .. '"'
    .. (data and ',"data":' .. data or '') .. ',"rnd":"' .. c.arg_random .. string.format('%06d', c.sent) .. '"}')
end
function idoit.tell(c, t, kind, data, at) send(c, idoit.pool_of(t), t.id, t.uid, kind, data, at) end
function idoit.tell_parent(c, t, kind, data)
  if t.parent then send(c, idoit.text(t.parent_pool), t.parent, t.parent_uid, kind, data) end
end
-- Whoever ends a task takes it out of its state first.
function idoit.over(c, t, ...)
  call('ZADD', idoit.key(c, 'finished'), decimal.of(c.now + (tonumber(t.removeDelay or '0') or 0)), t.key)
  call('HDEL', idoit.key(c, t.key), 'quiver_lock', 'quiver_tries', 'quiver_lost', 'quiver_fate', 'quiver_children')
  idoit.written(c, t, 'state', '"finished"', ...)
  t.state = '"finished"'
end
function idoit.succeed(c, t, result) -- no result where it is empty
  if result == '' then
    idoit.over(c, t, 'progress', t.total or '1')
    idoit.tell_parent(c, t, 'result', '{"id":' .. t.id .. '}')
  else
    idoit.over(c, t, 'progress', t.total or '1', 'result', result)
    idoit.tell_parent(c, t, 'result', '{"id":' .. t.id .. ',"result":' .. result .. '}')
  end
end
function idoit.fail(c, t, err)
  idoit.over(c, t, 'error', err)
  idoit.tell_parent(c, t, 'error', '{"error":' .. err .. '}')
end
function idoit.children(c, t) -- ids of a chain's or group's; nothing where they are too many
  if call('HSTRLEN', idoit.key(c, t.key), 'children') > CHILDREN_BYTES then return nil end
  local ids = idoit.decoded(call('HGET', idoit.key(c, t.key), 'children'))
  if type(ids) ~= 'table' then return {} end
  return #ids <= MOST_CHILDREN and ids or nil
end
function idoit.too_many_children(c, t)
  call('SREM', idoit.key(c, 'idle'), t.key)
  idoit.fail(c, t, '{"name":"QueueError","message":"Error: a task has more than ' .. MOST_CHILDREN .. ' children"}')
end
-- Adds to a number that another program may have written; what is none counts as 0. Answers the sum.
function idoit.add(c, t, field, by)
  local there = tonumber(call('HGET', idoit.key(c, t.key), field) or '0')
  local sum = (there and math.abs(there) < LONGEST_MS and math.floor(there) or 0) + by
  idoit.written(c, t, field, decimal.of(sum))
  return sum
end
-- The tasks that are there below it, each once, behind itself, and the first one of them whose own children it has not seen.
function idoit.below(c, t)
  local all, seen, at, bytes_left = {t}, {[t.key] = true}, 1, CHILDREN_BYTES
  while all[at] and c.tasks_left > 0 do
    local of, ids = all[at], {}
    if of.children_created then
      local live = idoit.key(c, 'ichunks:' .. of.key)
      if call('SCARD', live) > MOST_CHILDREN then break end
      ids = call('SMEMBERS', live)
    elseif of.children_finished then
      bytes_left = bytes_left - call('HSTRLEN', idoit.key(c, of.key), 'children')
      if bytes_left < 0 then break end
      ids = idoit.children(c, of) or {}
    end
    at = at + 1
    c.tasks_left = c.tasks_left - 1 - #ids
    for i = 1, #ids do
      local id = tostring(ids[i])
      if not seen[id] then
        seen[id] = true
        all[#all + 1] = idoit.read(c, id)
      end
    end
  end
  return all, at
end
-- Whether a task of `below` has children that were not seen, which a command to it ends.
function idoit.unseen(all, i, from)
  return i > 1 and i >= from and (all[i].children_created or all[i].children_finished)
end
function idoit.leave(c, t) -- every state but the last
  call('SREM', idoit.key(c, 'waiting'), t.key)
  call('SREM', idoit.key(c, 'idle'), t.key)
  call('ZREM', idoit.key(c, 'locked'), t.key)
  call('ZREM', idoit.key(c, 'restart'), t.key)
  call('SREM', idoit.key(c, idoit.pool_of(t) .. ':startable'), t.key)
end
function idoit.cancel_below(c, t)
  local all, from = idoit.below(c, t)
  for i = 2, #all do
    if idoit.unseen(all, i, from) then
      idoit.tell(c, all[i], 'error', '{"error":' .. idoit.CANCELED .. '}')
    else
      idoit.leave(c, all[i])
      if not idoit.is_in(all[i], 'finished') then idoit.over(c, all[i], 'error', idoit.CANCELED) end
    end
  end
end
function idoit.startable(c, t)
  call('SADD', idoit.key(c, idoit.pool_of(t) .. ':startable'), t.key)
  idoit.written(c, t, 'state', '"startable"')
end
