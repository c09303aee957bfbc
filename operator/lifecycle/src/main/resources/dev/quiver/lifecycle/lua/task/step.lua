-- Settles what a session ran of a pool's Tasks, lets the trees go on, and claims what it has room for. Guarantee: done
-- once for each (session, call); a repeat gives the same answer; every settlement is checked against the fence of its
-- claim; a task whose ancestor has ended counts nothing and is not claimed.
-- FOR worker
-- DRAINS
-- FLAGS
-- KEYS sessions: live sessions
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS held: what this session holds, id to call@place, # to the last call
-- KEYS source_sessions: sessions that work at the queue
-- KEYS parked: leaves that wait for a suspended node, <node>/<leaf>
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV settles: 0..256; number of settlements
-- ARGV serving: 0..256; number of handlers
-- ARGV named: entry with the names of tasks without a resource that have rows, behind one byte; empty for none
-- ARGV rows...: 0..2048; settlements as (id, call of the claim, kind, run ms, data), then the handlers that the worker
--   serves, then a
--   place for each claim. Kinds: p passed, e passed with effects, n planned, i iterated, f failed, x failed for good,
--   d<ms> failed and not to be tried again before so many ms, u<ms> failed and maybe done, l lost, r returned, o broken off
--   and maybe done, w<ms> returned and to wait so long, b<ms> returned since a resource is missing for so long, m moved.
--   Data: a result, an iterator's answer, an error, a resource or a place
-- RETURNS {OK, claimable: tasks that it may find, member: 0 or 1, executed, verdicts: a letter each, others, outranked: 0 or 1,
--   level: of the record or -1, recording: how trees without a resource are recorded or nothing, commands[]: that may run now,
--   claims...(id, place, trial, max_trials, failed, body, from, given, progress, relocation, tokens)} | {FENCED} | {STALE}.
--   Others: -1, or where nothing is left but tasks of handlers that the worker does not serve a number that grows with
--   each task that came. Outranked: 1 where the next free slot belongs to another source of the pool
-- USES worker/sessions worker/calls worker/members worker/isolation worker/settling common/now
-- USES worker/claimed task/nodes task/queue task/roots task/flow task/changes task/dispatch history/record
-- USES worker/ready task/resources task/iteration task/effects history/settlements history/tally history/hours
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
flow.open(c, KEYS, key_pools)
local q = c.own_queue
if not q then return redis.error_reply('ERR task/step: no pool is declared') end
local source, settles = q.source, tonumber(arg_settles)
local handlers = arg_rows + settles * 5
local places = handlers + tonumber(arg_serving)
local wanted = #ARGV - places + 1
if wanted < 0 then return redis.error_reply('ERR task/step: rows are missing') end
local served = {}
for i = handlers, places - 1 do served[ARGV[i]] = true end

local its = isolation.open(c, source)
local this = calls.open(c, ARGV, arg_rows, settles)
if not this then return {STALE} end
local said = {member = this.member, level = -1, recording = call('HGET', key_pool, 'history') or ''}
local function answer(verdicts, soon, ids, claim_places)
  local mine = queue.claimable(q, served)
  local others = mine == 0 and #ids == 0 and queue.unserved(q) or -1
  local out = {OK, mine, said.member and 1 or 0, executed, verdicts, others, order.outranked(q), said.level, said.recording, #soon}
  for i = 1, #soon do out[#out + 1] = soon[i] end
  dispatch.append(c, out, ids, claim_places)
  return out
end
if this.done then return answer(this.verdicts, {}, holds.of_call(key_held, arg_call)) end

do
  local ids, parents = {}, {}
  for i = 1, settles do
    if this.entries[i + 1] then ids[#ids + 1] = this.ids[i + 1] end
  end
  nodes.load(c, ids)
  roots.load(c, ids)
  for i = 1, #ids do
    local n = not flow.is_lone(c, ids[i]) and nodes.get(c, ids[i])
    if n and n.parent ~= '' and n.parent ~= nodes.FINALLY then parents[#parents + 1] = nodes.relative(n, n.parent) end
  end
  nodes.load(c, parents)
end

local PASSED, COUNTED = settling.PASSED, settling.COUNTED
local verdicts, released = calls.settle(c, this, ARGV, arg_rows, settles, q.pace, function(id, kind, data)
  if kind == PASSED and flow.is_lone(c, id) then
    flow.pass_lone(c, id)
    return COUNTED
  end
  local n = nodes.get(c, id)
  local runs = n and (n.state == nodes.LOCKED or n.kind == nodes.ITERATOR and flow.waits(n))
  if not runs or not nodes.is_alive(c, n) then return settling.VOID end -- held until now, and counts nothing
  if kind == PASSED then
    flow.finish(c, n, true, data)
  elseif kind == settling.ITERATED and n.kind == nodes.ITERATOR then
    return iteration.take(c, n, data)
  elseif kind == settling.ITERATED then
    return flow.again_or_end(c, n, 'failed', false, nil, '{"reason":"AnswerInvalid","message":"this node is no iterator"}')
  elseif kind == settling.EFFECTS or kind == settling.PLANNED then
    return effects.take(c, q, n, data, kind == settling.PLANNED)
  elseif nodes.is_unsure(n) and (kind == settling.BROKEN_OFF or settling.doubt(kind)) then
    local delay = settling.doubt(kind)
    flow.doubt(c, n, delay and 'failed', math.min(tonumber(delay or 0), nodes.MOST_ORDINAL), data)
    return delay and settling.RETRIED or COUNTED
  elseif kind == settling.LOST then
    return flow.again_or_end(c, n, 'lost', false, nil, data)
  elseif kind == settling.RETURNED or kind == settling.BROKEN_OFF
    or settling.missing(kind) and resources.stops(c, q, n, data, tonumber(settling.missing(kind))) and not nodes.is_planning(n) then
    if n.kind == nodes.LEAF then flow.enter(c, n, nodes.STARTABLE) end
    flow.queue_up(c, n)
  else
    local pause = settling.pause(kind) or settling.missing(kind)
    if not pause then
      return flow.again_or_end(c, n, 'failed', kind == settling.FAILED_FOR_GOOD, settling.delay(kind), data)
    end
    flow.try_later(c, n, math.min(tonumber(pause), nodes.MOST_ORDINAL))
  end
  return COUNTED
end)
if #released > 0 then queue.release(q, released) end

if arg_marks ~= '' then
  local OF_NO_RUN = 46 -- a full stop
  local letters, run = table.concat(verdicts), source
  if string.find(arg_marks, '[RKX+]') and record.level(c) < record.OFF then
    run = hours.run(c, q)
    if arg_named ~= '' and record.level(c) < record.FULL then
      record.append(c, 'k', 'n', 'u', run, 't', now, 'b', record.body(arg_named))
    end
  end
  local function of(i)
    return string.find(arg_marks, '^[RKX+]', i) and run or nodes.tree(ARGV[arg_rows + (i - 1) * 5])
  end
  for i = 1, settles do
    local letter, at = verdicts[i], arg_rows + (i - 1) * 5
    local kind = ARGV[at + 2]
    if string.byte(arg_marks, i) ~= OF_NO_RUN and (letter == settling.COUNTED or letter == settling.RETRIED)
      and settling.ends_trial(kind) then
      local tree = of(i)
      tally.add(c, tree, kind == settling.LOST and 'l' or 't', 1)
      tally.add(c, tree, 'm', record.ms(ARGV[at + 3]))
      if letter == settling.COUNTED and kind ~= settling.ITERATED and kind ~= settling.PLANNED then
        local passed = (kind == settling.PASSED or kind == settling.EFFECTS) and not c.refused[ARGV[at]]
        tally.add(c, tree, passed and 's' or 'f', 1)
      elseif kind == settling.PLANNED and c.refused[ARGV[at]] then
        tally.add(c, tree, 'f', 1)
      end
    end
  end
  said.level = settlements.record(c, run, 'q', string.gsub(letters, settling.VOID, settlements.CANCELLED), function(i) tally.add(c, of(i), 'x', 1) end)
  tally.write(c)
end

local ids, ids_places, rows = {}, {}, {}
local lonely = {} -- tasks that are to run alone and that this call has come upon
local unheld = {} -- tasks that this call has taken out and does not hold
local function take(id)
  local at = #ids + 1
  local place = ARGV[places + at - 1]
  ids[at], ids_places[at] = id, place
  rows[at * 2 - 1], rows[at * 2] = id, arg_call .. '@' .. place
end
local function claim(id, n, seq, alone) -- leaves out what is not to run now
  unheld[#unheld + 1] = id
  if not n or not flow.waits(n) then return end
  local lives, suspended = nodes.is_alive(c, n)
  n.seq = seq
  nodes.put(c, n)
  if suspended and lives then
    call('ZADD', key_parked, 0, suspended.id .. '/' .. n.id)
  elseif lives and tonumber(n.lost) >= isolation.LOSSES and not alone then
    lonely[#lonely + 1] = n
  elseif lives then
    if n.kind == nodes.LEAF then flow.enter(c, n, nodes.LOCKED) end
    unheld[#unheld] = nil
    take(n.id)
  end
end
local function give_back()
  queue.give_back(q, unheld)
  unheld = {}
end
local function claim_alone() -- one task, for a session that holds nothing
  queue.claim_isolated(c, q, served, function(n, seq, id)
    claim(id, n, seq, true)
    return #ids > 0
  end)
  give_back()
  if #ids > 0 then isolation.begins(c, its, q.hash) end
end
local barred = isolation.bars(c, its) -- also where nothing is wanted: a task that ran alone may have ended
if wanted > 0 then
  if barred then
    wanted = 0
  elseif not queue.has_isolated(q) then
    isolation.forgets_turn(c, its)
  elseif isolation.is_empty(c, its) then
    claim_alone()
    if #ids > 0 then wanted = 0 end
  elseif isolation.takes_turn(c, its, q.hash) then
    wanted = 0
  end
end
if wanted > 0 then
  for _ = 1, 64 do -- tasks that were cancelled or suspended leave places free
    local tasks, numbers = queue.claim(c, q, wanted - #ids, served)
    if #tasks == 0 then break end
    nodes.load(c, tasks)
    roots.load(c, tasks)
    for i = 1, #tasks do
      local id = tasks[i]
      if flow.claim_lone(c, id, numbers[i]) then take(id) else claim(id, nodes.get(c, id), numbers[i]) end
    end
    give_back()
    if #ids == wanted or c.climbs_left <= 0 or q.spent then break end
  end
  if #lonely > 0 then
    queue.isolate(q, lonely)
    if #ids == 0 and isolation.is_empty(c, its) then claim_alone() end
  end
end
if #ids > 0 then
  queue.hold(q, #ids)
  if not this.member then members.join(c, source, q.hash) end
end
local did = table.concat(verdicts)
said.member = calls.close(c, this, source, did, #ids, rows)
return answer(did, changes.write(c, true), ids, ids_places)
