-- What a session holds under a prefix: m<job>, c<chunk> or r<job> to call@place in the own keyspace. Its lock is the score that
-- its claim put, and in the hash who put it: a watchdog of another program knows the first, a worker checks both.
-- KEYS held: what this session holds
-- MODULE job_locks
-- USES queue/wire worker/fate common/now common/decimal
job_locks.CLAIM_BYTES = 65536
local function lock_of(session, number, deadline) return session .. '/' .. number .. '/' .. deadline end
-- Where a unit of work has its deadline: the letter, the key of its hash, its job, the zset.
function job_locks.unit(c, id)
  local letter, key = string.sub(id, 1, 1), string.sub(id, 2)
  if letter == 'c' then
    local job = string.match(key, '^(.*):%d+$') or key
    return {letter = letter, key = key, job = job, deadlines = jobs.chunks(job, 'active')}
  end
  return {letter = letter, key = key, job = key, deadlines = jobs.key(c, letter == 'm' and 'mapping' or 'reducing')}
end
-- The time of the lock that this claim put, nothing where it was lost.
function job_locks.locked_until(u, session, number)
  local deadline = jobs.ask(false, 'ZSCORE', u.deadlines, u.key)
  return deadline and jobs.ask(false, 'HGET', u.key, 'quiver_lock') == lock_of(session, number, deadline) and deadline
end
function job_locks.lock(u, session, number, deadline)
  call('ZADD', u.deadlines, deadline, u.key)
  call('HSET', u.key, 'quiver_lock', lock_of(session, number, deadline))
end
-- Workers that it lost. One whose lock is there while it waits has lost one more: then also the lock.
function job_locks.workers_lost(u)
  local lost, lock = unpack(jobs.ask({}, 'HMGET', u.key, 'quiver_lost', 'quiver_lock'))
  return jobs.natural(lost) + (lock and 1 or 0), lock
end
local function to_pending(u) -- a chunk
  call('ZREM', u.deadlines, u.key)
  call('SADD', jobs.chunks(u.job, 'pending'), u.key)
end
-- To be run again. `became` says what became of the worker under it; one that was not begun has none. One that was begun counts
-- as a trial: of a job whoever takes it up counts it.
function job_locks.give_back(c, u, session, number, became)
  if not job_locks.locked_until(u, session, number) then return false end
  call('HDEL', u.key, 'quiver_lock')
  local started = became and true or false
  if started then
    call('HSET', u.key, 'quiver_lost', job_locks.workers_lost(u) + 1)
    fate.keep(u.key, became)
  end
  if u.letter == 'c' then
    to_pending(u)
    if started then jobs.add_try(u.key, 1) end
  elseif u.letter == 'm' and not started then
    call('ZREM', u.deadlines, u.key)
    call('SADD', jobs.key(c, 'pending'), u.key)
    call('HSET', u.key, 'state', 'pending')
  elseif not started and jobs.natural(call('HGET', u.key, 'retries')) == 0 then
    call('ZREM', u.deadlines, u.key)
    call('SADD', jobs.key(c, 'aggregating'), u.key)
    call('HSET', u.key, 'state', 'aggregating')
  else
    call('ZADD', u.deadlines, decimal.of(c.now), u.key)
    if not started then jobs.add_try(u.key, -1) end
  end
  return true
end
-- Appends to `out` for each claim: id, place, type, retries, data.
function job_locks.append(c, out, ids, places)
  for i = 1, #ids do
    local u = job_locks.unit(c, ids[i])
    local kind = jobs.ask(false, 'HGET', u.job, 'type')
    local v = kind and jobs.ask(false, 'HMGET', u.key, 'retries', 'data')
    if not v then -- it went while its claim was on the way
      call('HDEL', c.key_held, ids[i])
    else
      local at = #out
      out[at + 1], out[at + 2], out[at + 3] = ids[i], places[i], kind
      out[at + 4], out[at + 5] = jobs.natural(v[1]), u.letter ~= 'r' and v[2] or ''
    end
  end
end
