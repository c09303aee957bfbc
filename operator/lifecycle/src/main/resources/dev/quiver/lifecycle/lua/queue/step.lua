-- Settles what a session ran of the jobs under a prefix, and claims what it has room for. Guarantee: done once for each
-- (session, call); a repeat gives the same answer; a settlement counts while its lock is the one that its claim put.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS source_sessions: sessions that work at the source
-- KEYS ends: job of Quiver's own to how it ended
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV lease: 0..100000000000000; ms of a lock
-- ARGV settles: 0..256; number of settlements
-- ARGV serving: 0..4096; number of types that the worker runs
-- ARGV rows...: 0..16384; settlements as (id, call of the claim, kind, run ms, data), then the types as (name, retries at
--   most, functions
--   that are served of m, p and r), then a place for each claim. Kinds: p passed, x failed for good, d<ms> failed and to be
--   tried again after so many ms, l lost, r returned, m moved. Data: a result, an error, a place, or of a map the number of
--   its chunks, which have been fed
-- RETURNS {OK, claimable: what it may find, member: 0 or 1, executed, verdicts: a letter each, others, claims...(id,
--   place, type, retries, data)} | {FENCED} | {STALE} | {GONE} when nothing is granted any more. Others: -1, or
--   where nothing is left but jobs of other types a number that grows as time goes
-- USES worker/sessions worker/calls worker/members worker/pace worker/isolation worker/settling worker/aside
-- USES queue/wire queue/source queue/claims common/now common/decimal worker/claimed worker/fate
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
jobs.open(c)
local source, settles = 'queue:' .. arg_pool, tonumber(arg_settles)
local types = arg_rows + settles * 5
local places = types + tonumber(arg_serving) * 3
local wanted, served = #ARGV - places + 1, {}
if wanted < 0 then return redis.error_reply('ERR queue/step: rows are missing') end
for i = types, places - 1, 3 do
  local parts = ARGV[i + 2]
  served[ARGV[i]] = {retry = tonumber(ARGV[i + 1]) or 0, map = string.find(parts, 'm'), process = string.find(parts, 'p'),
    reduce = string.find(parts, 'r')}
end

local its = isolation.open(c, source)
local this = calls.open(c, ARGV, arg_rows, settles)
if not this then return {STALE} end
if call('HGET', key_source, 'prefix') ~= arg_prefix then -- nor may the wire be touched: its locks lapse
  members.leave(c, source)
  isolation.forgets_source(c, its)
  return {GONE}
end

local said = {member = this.member}
local function answer(verdicts, ids, places_of)
  local waiting, others = job_source.waiting_work(c), -1
  if #ids == 0 and waiting > 0 and wanted > 0 then
    waiting, others = 0, tonumber(call('HGET', key_source, 'seq') or '0') or 0
  end
  local out = {OK, waiting, said.member and 1 or 0, executed, verdicts, others}
  job_locks.append(c, out, ids, places_of)
  return out
end
if this.done then return answer(this.verdicts, holds.of_call(key_held, arg_call)) end

-- The end of a job. That of Quiver's own is noted before its keys go.
local moved = 0 -- jobs and chunks that went on without a claim
local function ended(job, word, text)
  moved = moved + 1
  if job.own then jobs.note_end(c, key_ends, job.key, job.key, word, text) end
  jobs.forget(c, job.key)
end
local function passed(u, job, data)
  if u.letter == 'm' then
    if jobs.ask(0, 'SCARD', jobs.chunks(job.key, 'pending')) ~= tonumber(data) then return settling.VOID end
    call('ZREM', u.deadlines, u.key)
    call('SADD', jobs.key(c, 'aggregating'), u.key)
    call('HSET', u.key, 'state', 'aggregating', 'retries', 0)
    if job.own then call('HSET', u.key, 'quiver_chunks', data) end
    call('HDEL', u.key, 'quiver_lock', 'quiver_lost', 'quiver_fate')
  elseif u.letter == 'c' then
    call('ZREM', u.deadlines, u.key)
    call('SADD', jobs.chunks(job.key, 'done'), u.key)
    call('HSET', u.key, 'result', data)
    call('HDEL', u.key, 'quiver_lock')
  else
    ended(job, 'passed', data)
  end
  return settling.COUNTED
end
local function failed(u, job, delay, text)
  if job.own and u.letter ~= 'c' then call('HSET', u.key, 'quiver_error', text) end
  if u.letter == 'm' then jobs.empty_set(c, u.key, 'pending') end -- what it has brought is nobody's
  if u.letter == 'c' then
    call('ZREM', u.deadlines, u.key)
    call('ZADD', jobs.chunks(u.job, 'errored'), decimal.of(now + delay), u.key)
  else
    call('ZADD', u.deadlines, decimal.of(now + delay), u.key)
  end
  jobs.add_try(u.key, 1)
  call('HDEL', u.key, 'quiver_lock')
  return settling.RETRIED
end
local function dropped(u, job, text) -- no trial is left: a job goes on without its chunk
  if u.letter == 'c' then
    call('ZREM', u.deadlines, u.key)
    call('UNLINK', u.key)
  else
    ended(job, u.letter == 'm' and 'map' or 'reduce', text)
  end
  return settling.COUNTED
end
local function settle(u, kind, data, number)
  if kind == settling.RETURNED or kind == settling.LOST then
    return job_locks.give_back(c, u, arg_session, number, kind == settling.LOST and data) and settling.COUNTED or settling.VOID
  end
  local job = job_locks.locked_until(u, arg_session, number) and jobs.read(c, u.job)
  if not job then return settling.VOID end
  if kind == settling.PASSED then return passed(u, job, data) end
  local delay = settling.delay(kind)
  return delay and failed(u, job, delay, data) or dropped(u, job, data)
end
local ran = pace.open()
local verdicts, released = calls.settle(c, this, ARGV, arg_rows, settles, ran, function(id, kind, data, number)
  return settle(job_locks.unit(c, id), kind, data, number)
end)

local taken, taken_places, bytes, lapses = {}, {}, 0, decimal.of(now + arg_lease)
local function full() return #taken == wanted or bytes > job_locks.CLAIM_BYTES end
local function claim(id) -- noted before the wire shows it
  local u = job_locks.unit(c, id)
  local losses, lapsed = job_locks.workers_lost(u)
  taken[#taken + 1], taken_places[#taken + 1] = id, ARGV[places + #taken]
  call('HSET', key_held, id, arg_call .. '@' .. taken_places[#taken])
  if losses > 0 then call('HSET', u.key, 'quiver_lost', losses) end
  if lapsed then fate.keep(u.key, '') end
  if losses >= isolation.LOSSES then
    wanted = #taken
    isolation.begins(c, its, key_source)
  end
  job_locks.lock(u, arg_session, arg_call, lapses)
  bytes = bytes + call('HSTRLEN', u.key, 'data')
end
local function held_back(id)
  if job_locks.workers_lost(job_locks.unit(c, id)) < isolation.LOSSES or #taken == 0 and isolation.is_empty(c, its) then return false end
  aside.put(c, id)
  return true
end
local function given_up(job)
  local lapsed = jobs.ask(false, 'HGET', job.key, 'quiver_lock')
  local words = 'no trial is left: each failed, froze, or lost its worker' .. (lapsed and '' or fate.last_kept(job.key))
  return '{"reason":"WorkerLost","message":"' .. words .. '"}'
end
local MOST_CHUNKS = 512 -- that are taken out at once; some may be none, or given up
local function claim_chunks(job, kind)
  for from, again in pairs({active = true, errored = false}) do
    local due = jobs.ask({}, 'ZRANGEBYSCORE', jobs.chunks(job.key, from), '-inf', decimal.of(now), 'LIMIT', 0, jobs.LOOK)
    for i = 1, #due do
      local u = job_locks.unit(c, 'c' .. due[i])
      call('ZREM', jobs.chunks(job.key, from), due[i])
      call('SADD', jobs.chunks(job.key, 'pending'), due[i])
      if again and jobs.ask(0, 'EXISTS', due[i]) == 1 then jobs.add_try(due[i], 1) end
    end
  end
  local back = {}
  for _ = 1, MOST_CHUNKS do
    local chunk = not full() and jobs.ask(false, 'SPOP', jobs.chunks(job.key, 'pending'))
    if not chunk then break end
    local known = string.match(string.sub(chunk, #job.key + 1), '^:%d+$') and jobs.ask(false, 'HGET', chunk, 'retries')
    if known and jobs.natural(known) > kind.retry then
      moved = moved + 1
      call('UNLINK', chunk)
    elseif known and held_back('c' .. chunk) then
      back[#back + 1] = chunk
    elseif known then
      claim('c' .. chunk)
    end
  end
  if #back > 0 then call('SADD', jobs.chunks(job.key, 'pending'), unpack(back)) end
end
local function claim_aggregating()
  local keys = jobs.ask({}, 'SRANDMEMBER', jobs.key(c, 'aggregating'), jobs.LOOK)
  for i = 1, #keys do
    if full() then return end
    local job = jobs.read(c, keys[i])
    local kind = job and served[job.type]
    if not job then
      call('SREM', jobs.key(c, 'aggregating'), keys[i])
    elseif kind then
      if kind.process then claim_chunks(job, kind) end
      if not full() and jobs.all_done(job.key) then
        if kind.reduce then -- new at this: it has lost no worker yet
          call('SREM', jobs.key(c, 'aggregating'), job.key)
          call('HSET', job.key, 'retries', 0, 'state', 'reducing')
          claim('r' .. job.key)
        elseif kind.process then -- a program without a reduce of its own has one that does nothing
          ended(job, 'passed', 'null')
        end
      end
    end
  end
end
local function claim_again(letter, zset) -- of a job whose time has passed, whoever had it
  local keys = jobs.ask({}, 'ZRANGEBYSCORE', zset, '-inf', decimal.of(now), 'LIMIT', 0, jobs.LOOK)
  for i = 1, #keys do
    if full() then return end
    local job = jobs.read(c, keys[i])
    local kind = job and served[job.type]
    if not job then
      call('ZREM', zset, keys[i])
    elseif kind and job.retries > kind.retry then
      ended(job, letter == 'm' and 'map' or 'reduce', jobs.ask(false, 'HGET', job.key, 'quiver_error') or given_up(job))
    elseif kind and (letter == 'm' and kind.map or letter == 'r' and kind.reduce) and not held_back(letter .. job.key) then
      jobs.add_try(job.key, 1)
      claim(letter .. job.key)
    end
  end
end
local function begin(key, job, kind)
  moved = moved + 1
  call('SREM', jobs.key(c, 'pending'), key)
  if kind.map then
    call('HSET', key, 'state', 'mapping')
    claim('m' .. key)
  else -- a program without a map of its own has one chunk, with the job's data
    call('HSET', key .. ':0', 'retries', 0, 'data', call('HGET', key, 'data') or 'null')
    call('SADD', jobs.chunks(key, 'pending'), key .. ':0')
    call('SADD', jobs.key(c, 'aggregating'), key)
    call('HSET', key, 'state', 'aggregating', 'retries', 0)
    if job.own then call('HSET', key, 'quiver_chunks', 1) end
  end
end
local function claim_pending()
  for _, look in ipairs({jobs.LOOK, jobs.LOOK * 8}) do -- jobs of other types may hide those that it serves
    local keys = full() and {} or jobs.ask({}, 'SRANDMEMBER', jobs.key(c, 'pending'), look)
    for i = 1, #keys do
      local job = not full() and jobs.read(c, keys[i])
      local kind = job and served[job.type]
      if job == nil then
        call('SREM', jobs.key(c, 'pending'), keys[i])
      elseif kind and (kind.map or kind.process) and jobs.ask(0, 'SISMEMBER', jobs.key(c, 'pending'), keys[i]) == 1
        and not (kind.map and held_back('m' .. keys[i])) then
        begin(keys[i], job, kind)
      end
    end
  end
end
-- Where it waits, and how the worker serves it; nothing where it does not wait to run alone any more.
local function waits_alone(id)
  local u = job_locks.unit(c, id)
  local job = jobs.read(c, u.job)
  if not job or job_locks.workers_lost(u) < isolation.LOSSES then return nil end
  local due = tonumber(jobs.ask(false, 'ZSCORE', u.deadlines, u.key) or '')
  local first = u.letter == 'c' and jobs.chunks(job.key, 'pending') or u.letter == 'm' and jobs.key(c, 'pending')
  local queued = first and jobs.ask(0, 'SISMEMBER', first, u.key) == 1
  if not queued and not (u.letter ~= 'c' and due and due <= now) then return nil end
  local kind = served[job.type]
  if not kind then return false, u, job end
  if jobs.natural(jobs.ask(false, 'HGET', u.key, 'retries')) > kind.retry then return nil end -- it is given up
  return (u.letter == 'm' and kind.map or u.letter == 'c' and kind.process or u.letter == 'r' and kind.reduce) and true, u, job,
    queued
end
local function take_alone(id)
  local _, u, job, queued = waits_alone(id)
  if u.letter == 'c' then
    call('SREM', jobs.chunks(job.key, 'pending'), u.key)
    claim(id)
  elseif queued then
    begin(job.key, job, served[job.type])
  else
    jobs.add_try(job.key, 1)
    claim(id)
  end
end
if not aside.allows(c, its, wanted, waits_alone, take_alone) then wanted = #taken end
if wanted > #taken then
  claim_aggregating()
  claim_again('r', jobs.key(c, 'reducing'))
  claim_again('m', jobs.key(c, 'mapping'))
  claim_pending()
end
if #taken > 0 and not this.member then members.join(c, source, key_source) end
local did = table.concat(verdicts)
said.member = calls.close(c, this, source, did, #taken)
ran.moved = #taken + #released > 0
job_source.keep(c, #taken - #released, 0, #taken + #released + moved == 0, ran)
return answer(did, taken, taken_places)
