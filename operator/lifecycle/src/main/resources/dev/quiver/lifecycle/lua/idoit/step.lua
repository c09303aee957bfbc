-- Settles what a session ran of a pool's tasks of the wire, and claims what it has room for. Guarantee: done once for each
-- (session, call); a repeat gives the same answer; a settlement counts while its lock is the one that its claim put.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV lease: 0..100000000000000; ms of a lock
-- ARGV settles: 0..256; number of settlements
-- ARGV serving: 0..4096; number of types that the worker runs
-- ARGV named: entry with the ids of tasks that have rows, behind one byte; empty for none
-- ARGV rows...: 0..12288; settlements as (id, call of the claim, kind, run ms, data), then the types as (name, tries at
--   most), then a
--   place for each claim. Kinds: p passed, n e t b answers of iterators, x failed for good, d<ms> failed and to be tried
--   again after so many ms, l lost, r returned, m moved. Data: a result, an answer, an error, a place or
--   how the worker was lost
-- RETURNS {OK, claimable: what it may find, member: 0 or 1, executed, verdicts: a letter each, others, due: commands of
--   the pool, level: of the record or -1, recording: how the pool's tasks are recorded or nothing, pools[]: that got
--   commands, claims...(id, place, uid, name, tries, retries, args, options, progress)} | {FENCED} | {STALE} |
--   {GONE} when nothing is granted any more. Others: -1, or where nothing is left but tasks of other types a number
--   that grows as tasks come
-- USES worker/sessions worker/calls worker/members worker/pace worker/isolation worker/settling worker/aside
-- USES idoit/wire idoit/source idoit/claims idoit/iterate common/now common/decimal worker/claimed worker/fate
-- USES history/record history/settlements history/tally history/hours
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
idoit.open(c)
local source, settles = 'idoit:' .. arg_pool, tonumber(arg_settles)
local types = arg_rows + settles * 5
local places = types + tonumber(arg_serving) * 2
local wanted, served = #ARGV - places + 1, {}
if wanted < 0 then return redis.error_reply('ERR idoit/step: rows are missing') end
for i = types, places - 1, 2 do served[ARGV[i]] = math.min(math.max(tonumber(ARGV[i + 1]) or 0, 0), 1000000) end

local its = isolation.open(c, source)
local this = calls.open(c, ARGV, arg_rows, settles)
if not this then return {STALE} end
if call('HGET', key_source, 'prefix') ~= arg_prefix then -- nor may the wire be touched: its locks lapse
  members.leave(c, source)
  isolation.forgets_source(c, its)
  return {GONE}
end

local said = {member = this.member, level = -1}
local function answer(verdicts, ids, places_of)
  local waiting, others, pools = idoit_source.waiting_work(c), -1, {}
  if #ids == 0 and waiting > 0 and wanted > 0 then
    waiting, others = 0, tonumber(call('HGET', key_source, 'seq') or '0') or 0
  end
  for pool in pairs(c.told) do pools[#pools + 1] = pool end
  local out = {OK, waiting, said.member and 1 or 0, executed, verdicts, others, idoit_source.due_commands(c), said.level,
    call('HGET', key_pool, 'history') or '', #pools}
  for i = 1, #pools do out[#out + 1] = pools[i] end
  idoit_locks.append(c, out, ids, places_of)
  return out
end
if this.done then return answer(this.verdicts, holds.of_call(key_held, arg_call)) end

local function progressed(t)
  local rest = (tonumber(t.total or '0') or 0) - (tonumber(t.progress or '0') or 0)
  if rest ~= 0 then idoit.tell_parent(c, t, 'progress', decimal.of(rest)) end
end
local function settle(t, kind, data, number)
  if kind == settling.RETURNED or kind == settling.LOST then
    return idoit_locks.give_back(c, t, arg_session, number, kind == settling.LOST and data) and settling.COUNTED or settling.VOID
  end
  if t.children_created then
    if kind == settling.FAILED_FOR_GOOD or string.sub(kind, 1, 1) == settling.FAILED_FOR_NOW then return idoit_iteration.fail(c, t, kind, data, number) end
    return idoit_iteration.take(c, t, kind, data, number)
  end
  if not idoit_locks.locked_until(c, t, arg_session, number) then return settling.VOID end
  call('ZREM', idoit.key(c, 'locked'), t.key)
  local delay = settling.delay(kind)
  if kind == settling.PASSED then
    idoit.succeed(c, t, data)
    progressed(t)
  elseif delay then
    call('ZADD', idoit.key(c, 'restart'), decimal.of(now + delay), t.key)
    idoit.add(c, t, 'retries', 1)
    idoit.written(c, t, 'state', '"restart"')
    call('HDEL', idoit.key(c, t.key), 'quiver_lock')
    return settling.RETRIED
  else
    idoit.fail(c, t, data)
  end
  return settling.COUNTED
end
local ran = pace.open()
local verdicts, released = calls.settle(c, this, ARGV, arg_rows, settles, ran, function(id, kind, data, number)
  local t = idoit.read(c, id)
  return t and settle(t, kind, data, number) or settling.VOID
end)

if string.find(arg_marks, '[RKX+]') and record.level(c) < record.OFF then
  local OF_NO_RUN = 46 -- a full stop
  local run, letters = hours.run(c, {name = arg_pool}), {}
  if arg_named ~= '' and record.level(c) < record.FULL then
    record.append(c, 'k', 'n', 'u', run, 't', now, 'b', record.body(arg_named))
  end
  for i = 1, settles do
    local at = arg_rows + (i - 1) * 5
    local kind, letter = ARGV[at + 2], verdicts[i]
    local lost = kind == settling.LOST and letter == settling.COUNTED
    letters[i] = letter == settling.VOID and settlements.CANCELLED or lost and settling.RETRIED or letter -- a lost one is begun again
    if string.byte(arg_marks, i) ~= OF_NO_RUN and (letter == settling.COUNTED or letter == settling.RETRIED)
      and settling.ends_trial(kind) then
      tally.add(c, run, kind == settling.LOST and 'l' or 't', 1)
      tally.add(c, run, 'm', record.ms(ARGV[at + 3]))
      if letter == settling.COUNTED and not lost then tally.add(c, run, kind == settling.PASSED and 's' or 'f', 1) end
    end
  end
  said.level = settlements.record(c, run, 'q', table.concat(letters), function() tally.add(c, run, 'x', 1) end)
  tally.write(c)
end

local taken, taken_places, bytes = {}, {}, 0
-- Whether it lost too many workers to have neighbours. One whose lock is there while it waits has lost one more.
local function runs_alone(t)
  local lock_lapsed = t.quiver_lock and not t.children_created
  return idoit_locks.small(t.quiver_lost) + (lock_lapsed and 1 or 0) >= isolation.LOSSES
end
local function may_try(t, most) return idoit_locks.small(t.quiver_tries) < idoit_iteration.most_tries(t, most) end
local function held_back(t, most)
  if not runs_alone(t) or not may_try(t, most) or #taken == 0 and isolation.is_empty(c, its) then return false end
  aside.put(c, t.key)
  return true
end
local given_up = {} -- by this call, for losses that were recorded before
local function claim(t) -- noted before the wire shows it
  local id = t.key
  taken[#taken + 1], taken_places[#taken + 1] = id, ARGV[places + #taken]
  call('HSET', key_held, id, arg_call .. '@' .. taken_places[#taken])
  bytes = bytes + call('HSTRLEN', idoit.key(c, id), 'args') + call('HSTRLEN', idoit.key(c, id), 'user_data')
  if runs_alone(t) then
    wanted = #taken
    isolation.begins(c, its, key_source)
  end
end
local function full() return #taken == wanted or bytes > idoit_locks.CLAIM_BYTES end
local LEAST_SEEN, MOST_SEEN = 64, 512
local function claim_iterators(waiting) -- each with the command that asks to call it
  for i = 1, #waiting, 2 do
    if full() then return end
    local t, command = idoit_iteration.may_call(c, waiting[i], waiting[i + 1], served, held_back)
    if t then
      claim(t)
      call('HDEL', key_iterations, t.key)
      call('HSET', key_iterating, t.key, arg_session .. '/' .. arg_call .. '/' .. command)
      call('ZADD', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), decimal.of(now + arg_lease), command)
    end
  end
end
local function claim_task(id)
  local name = redis.pcall('HGET', idoit.key(c, id), 'name')
  if type(name) == 'string' and not served[name] then return end -- others' may be many
  local t = idoit.read(c, id)
  if not t or not idoit.is_in(t, 'startable') then
    call('SREM', idoit.key(c, arg_pool .. ':startable'), id)
    return
  end
  local parent = t.parent and redis.pcall('HGET', idoit.key(c, idoit.text(t.parent)), 'state')
  if t.parent and (type(parent) ~= 'string' or parent == '"finished"') then
    call('SREM', idoit.key(c, arg_pool .. ':startable'), id)
    idoit.over(c, t, 'error', idoit.CANCELED)
    return
  end
  if held_back(t, served[t.name]) then return end
  if t.quiver_lock then fate.keep(idoit.key(c, t.key), '') end -- it lapsed
  local tries = idoit.add(c, t, 'quiver_tries', 1)
  if tries > idoit_iteration.most_tries(t, served[t.name]) then
    call('SREM', idoit.key(c, arg_pool .. ':startable'), id)
    idoit.fail(c, t, idoit_iteration.worker_lost(c, t, tries))
    given_up[#given_up + 1] = '=' .. id .. ':' .. (tries - 1) .. ':f'
    return
  end
  claim(t)
  if t.quiver_lock then idoit.add(c, t, 'quiver_lost', 1) end
  call('SREM', idoit.key(c, arg_pool .. ':startable'), id)
  local deadline = decimal.of(now + arg_lease)
  call('ZADD', idoit.key(c, 'locked'), deadline, id)
  idoit.written(c, t, 'state', '"locked"', 'quiver_lock', idoit_locks.lock_of(arg_session, arg_call, deadline))
end
local function waits_alone(id)
  local t = idoit.read(c, id)
  if not t or not runs_alone(t) then return nil end
  local waits = idoit.is_in(t, 'startable') and idoit.pool_of(t) == arg_pool or t.children_created and call('HEXISTS', key_iterations, id) == 1
  local most = served[t.name]
  if not waits or most and not may_try(t, most) then return nil end
  return most ~= nil
end
local function take_alone(id)
  local command = call('HGET', key_iterations, id)
  if command then
    claim_iterators({id, command})
  else
    claim_task(id)
  end
end
if not aside.allows(c, its, wanted, waits_alone, take_alone) then wanted = #taken end
if wanted > #taken then
  claim_iterators(call('HRANDFIELD', key_iterations, math.max(wanted, LEAST_SEEN), 'WITHVALUES'))
  for _, seen in ipairs({wanted, MOST_SEEN}) do -- tasks of other types may hide those that it serves
    local ids = full() and {} or call('SRANDMEMBER', idoit.key(c, arg_pool .. ':startable'), seen)
    for i = 1, #ids do
      if not full() then claim_task(ids[i]) end
    end
  end
end
if #given_up > 0 and (call('HGET', key_pool, 'history') or '') ~= '' and record.level(c) < record.OFF then
  local run, its = hours.run(c, {name = arg_pool}), {}
  for i = 1, #given_up do
    if string.find(given_up[i], '^=[%w._-]+:%d+:f$') and #given_up[i] <= 80 then its[#its + 1] = given_up[i] end
  end
  tally.add(c, run, 'f', #given_up)
  tally.write(c)
  if #its > 0 and record.level(c) < record.FULL then
    record.append(c, 'k', 'l', 'u', run, 't', now, 's', arg_session, 'i', table.concat(its, ' '))
  end
end
if #taken > 0 and not this.member then members.join(c, source, key_source) end
local did = table.concat(verdicts)
said.member = calls.close(c, this, source, did, #taken)
ran.moved = #taken + #released > 0
idoit_source.keep(c, #taken - #released, 0, #taken + #released + #given_up == 0, ran)
return answer(did, taken, taken_places)
