-- What a session holds of a pool's tasks of the wire: id to call@place in the own keyspace. The lock of a task is the text
-- of its score in `locked` and, in its hash, who put it there: npm's watchdog knows the first, a worker checks both.
-- KEYS held: what this session holds
-- KEYS iterating: iterator to session/call/command
-- MODULE idoit_locks
-- USES idoit/wire worker/fate common/now common/decimal
idoit_locks.CLAIM_BYTES = 65536
function idoit_locks.lock_of(session, number, deadline) return '"' .. session .. '/' .. number .. '/' .. deadline .. '"' end
-- The time of the lock that this claim put, nothing where it was lost.
function idoit_locks.locked_until(c, t, session, number)
  local deadline = call('ZSCORE', idoit.key(c, 'locked'), t.key)
  return deadline and t.quiver_lock == idoit_locks.lock_of(session, number, deadline) and idoit.is_in(t, 'locked') and deadline
end
-- The command that this claim answers, nothing where it was lost.
function idoit_locks.called_by(c, t, session, number)
  local entry, prefix = call('HGET', c.key_iterating, t.key), session .. '/' .. number .. '/'
  local command = entry and string.sub(entry, 1, #prefix) == prefix and string.sub(entry, #prefix + 1)
  return command and call('ZSCORE', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), command) and command
end
-- A claim that ends without an answer. `became` says what became of the worker under it; one that was not begun has none, and
-- gets its try back.
local function unanswered(c, t, became)
  if idoit.is_in(t, 'finished') then return end
  if became then
    idoit.add(c, t, 'quiver_lost', 1)
    fate.keep(idoit.key(c, t.key), became)
  else
    idoit.add(c, t, 'quiver_tries', -1)
  end
end
-- The same, and the iterator may be called again. A call whose command lapsed has lost its worker, as a task whose lock lapsed.
function idoit_locks.call_ended(c, t, session, number, became)
  local command, prefix = idoit_locks.called_by(c, t, session, number), session .. '/' .. number .. '/'
  local entry = call('HGET', c.key_iterating, t.key)
  if entry and string.sub(entry, 1, #prefix) == prefix then
    call('HDEL', c.key_iterating, t.key)
    if not command then unanswered(c, t, became) end
  end
  return command
end
-- To be run again; `became` as above.
function idoit_locks.give_back(c, t, session, number, became)
  if t.children_created then
    local command = idoit_locks.call_ended(c, t, session, number, became)
    if not command then return false end
    call('ZREM', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), command)
    call('ZADD', idoit.key(c, idoit.pool_of(t) .. ':commands'), decimal.of(c.now), command)
    c.told[idoit.pool_of(t)] = true
  else
    if not idoit_locks.locked_until(c, t, session, number) then return false end
    call('ZREM', idoit.key(c, 'locked'), t.key)
    idoit.startable(c, t)
    call('HDEL', idoit.key(c, t.key), 'quiver_lock')
  end
  unanswered(c, t, became)
  return true
end
-- Appends to `out` for each claim: id, place, uid, name, tries, retries, args, quiver, and of an iterator what it has made,
-- what of that has ended, and its data.
function idoit_locks.small(json) return json and #json > 32 and 0 or math.min(math.max(math.floor(tonumber(json or '') or 0), 0), 1000000) end
function idoit_locks.append(c, out, ids, places)
  for i = 1, #ids do
    local v = redis.pcall('HMGET', idoit.key(c, ids[i]), 'uid', 'name', 'quiver_tries', 'retries', 'args', 'quiver',
      'children_created', 'children_finished', 'user_data')
    if v.err or not v[1] or idoit.text(v[2]) == '' then -- it went while its claim was on the way
      call('HDEL', c.key_held, ids[i])
    else
      local at = #out
      out[at + 1], out[at + 2], out[at + 3], out[at + 4] = ids[i], places[i], v[1], v[2]
      out[at + 5], out[at + 6] = math.max(1, idoit_locks.small(v[3])), idoit_locks.small(v[4])
      out[at + 7], out[at + 8] = v[5] or '[]', v[6] or ''
      out[at + 9] = v[7] and idoit_locks.small(v[7]) .. ' ' .. idoit_locks.small(v[8]) .. ' ' .. (v[9] or '{}') or ''
    end
  end
end
