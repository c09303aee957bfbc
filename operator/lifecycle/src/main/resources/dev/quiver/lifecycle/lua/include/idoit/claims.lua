-- What a session holds of a pool's tasks of the wire: id to call@place in the own keyspace. The lock of a task is the text
-- of its score in `locked` and, in its hash, who put it there: npm's watchdog knows the first, a worker checks both.
-- Uses wire.
-- KEYS held: what this session holds
-- KEYS iterating: iterator to session/call/command
local CLAIM_BYTES = 65536
local function lock_of(session, number, deadline) return '"' .. session .. '/' .. number .. '/' .. deadline .. '"' end
-- The time of the lock that this claim put, nothing where it was lost.
local function locked_until(t, session, number)
  local deadline = call('ZSCORE', wire('locked'), t.key)
  return deadline and t.quiver_lock == lock_of(session, number, deadline) and is(t, 'locked') and deadline
end
-- The command that this claim answers, nothing where it was lost.
local function called_by(t, session, number)
  local entry, prefix = call('HGET', key_iterating, t.key), session .. '/' .. number .. '/'
  local command = entry and string.sub(entry, 1, #prefix) == prefix and string.sub(entry, #prefix + 1)
  return command and call('ZSCORE', wire(pool_of(t) .. ':commands_locked'), command) and command
end
-- The same, and the iterator may be called again.
local function call_ended(t, session, number)
  local command, prefix = called_by(t, session, number), session .. '/' .. number .. '/'
  local entry = call('HGET', key_iterating, t.key)
  if entry and string.sub(entry, 1, #prefix) == prefix then call('HDEL', key_iterating, t.key) end
  return command
end
local function give_back(t, session, number, started) -- to be run again; one that started keeps its try
  if t.children_created then
    local command = call_ended(t, session, number)
    if not command then return false end
    call('ZREM', wire(pool_of(t) .. ':commands_locked'), command)
    call('ZADD', wire(pool_of(t) .. ':commands'), whole(now), command)
    told[pool_of(t)] = true
  else
    if not locked_until(t, session, number) then return false end
    call('ZREM', wire('locked'), t.key)
    startable(t)
    call('HDEL', wire(t.key), 'quiver_lock')
  end
  if started then
    add(t, 'quiver_lost', 1)
  else
    add(t, 'quiver_tries', -1)
  end
  return true
end
-- Appends to `out` for each claim: id, place, uid, name, tries, retries, args, quiver, and of an iterator what it has made,
-- what of that has ended, and its data.
local function small(json) return json and #json > 32 and 0 or math.min(math.max(math.floor(tonumber(json or '') or 0), 0), 1000000) end
local function append_claims(out, ids, places)
  for i = 1, #ids do
    local v = redis.pcall('HMGET', wire(ids[i]), 'uid', 'name', 'quiver_tries', 'retries', 'args', 'quiver',
      'children_created', 'children_finished', 'user_data')
    if v.err or not v[1] or text(v[2]) == '' then -- it went while its claim was on the way
      call('HDEL', key_held, ids[i])
    else
      local at = #out
      out[at + 1], out[at + 2], out[at + 3], out[at + 4] = ids[i], places[i], v[1], v[2]
      out[at + 5], out[at + 6] = math.max(1, small(v[3])), small(v[4])
      out[at + 7], out[at + 8] = v[5] or '[]', v[6] or ''
      out[at + 9] = v[7] and small(v[7]) .. ' ' .. small(v[8]) .. ' ' .. (v[9] or '{}') or ''
    end
  end
end
