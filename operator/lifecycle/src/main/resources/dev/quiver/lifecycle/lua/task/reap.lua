-- Takes back what a condemned session holds of a pool's Tasks. Guarantee: each held task once, at most `most` a call; what
-- waited in its prefetch queue was not lost, nor what the store forgot with its last second.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS condemned: sessions being taken back
-- KEYS session: hash of the session
-- KEYS held: what the session holds
-- KEYS source_sessions: sessions that work at the queue
-- ARGV session: id of the session
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, ended, 1 when more is held, commands that may run now...} | {NOTHING} when it is not condemned
--   | {TOO_LARGE, words}
-- USES common/now common/bounds worker/fate task/nodes task/queue task/roots task/flow task/changes
-- USES history/record history/tally history/hours
flow.open(c, KEYS, key_pools)
if not call('ZSCORE', key_condemned, arg_session) then return {NOTHING} end
local HELD, HELD_BYTES = 65536, 16777216
local words = bounds.hash(key_held, HELD, HELD_BYTES) or bounds.hash(key_session, HELD, HELD_BYTES)
if words then return {TOO_LARGE, words} end
local q, rewound = c.own_queue, (tonumber(call('HGET', key_session, 'calls') or '0') or 0) < 0
if not q then return redis.error_reply('ERR task/reap: no pool is declared') end
local became = fate.of(key_session)
local held, taken, requeued, ended, more = call('HGETALL', key_held), {}, 0, 0, 0
local losses, lost_trees = {}, {} -- of recorded runs
local PROGRAMS, hour = 14, nil -- letters of the id of a tree without a resource; the run of such trees
local function run_of(n)
  local facts, tree = roots.of(c, n), nodes.tree(n.id)
  if facts and roots.is_recorded(facts) then return tree, nodes.ordinal(n.id) end
  if #tree ~= PROGRAMS or string.find(tree, '%W') or (call('HGET', key_pool, 'history') or '') == ''
    or record.level(c) == record.OFF then return nil end
  hour = hour or hours.run(c, q)
  return hour, '=' .. n.id
end
local function note_loss(n, verdict)
  local tree, task = run_of(n)
  if not tree then return end
  if not losses[tree] then
    losses[tree] = {}
    lost_trees[#lost_trees + 1] = tree
  end
  losses[tree][#losses[tree] + 1] = task .. ':' .. (n.failed + n.lost) .. ':' .. verdict
  tally.add(c, tree, 'l', 1)
  if verdict == 'c' then tally.add(c, tree, 'f', 1) end
end
for i = 1, #held, 2 do
  local id = held[i]
  if id ~= '#' and #taken >= tonumber(arg_most) then
    more = 1
    break
  end
  if id ~= '#' then
    taken[#taken + 1] = id
    local n = nodes.get(c, id)
    local runs = n and (n.state == nodes.LOCKED or n.kind == nodes.ITERATOR and flow.waits(n))
    if runs and nodes.is_alive(c, n) then
      local verdict = 't'
      if rewound or string.match(held[i + 1], '@%-') then
        if n.kind == nodes.LEAF then flow.enter(c, n, nodes.STARTABLE) end
        flow.queue_up(c, n)
      else
        verdict = flow.again_or_end(c, n, 'lost', false, nil,
          '{"reason":"WorkerLost","message":"the worker was lost ' .. flow.MAX_LOST .. ' times' .. (became == '' and '' or '; the last time ' .. became) .. '"}')
        note_loss(n, verdict)
      end
      if verdict == 't' then requeued = requeued + 1 else ended = ended + 1 end
    end
  end
end
if #lost_trees > 0 then
  local level = record.level(c)
  for i = 1, #lost_trees do
    local its = losses[lost_trees[i]]
    if level < record.FULL then
      record.append(c, 'k', 'l', 'u', lost_trees[i], 't', now, 's', arg_session, 'i', table.concat(its, ' '))
    elseif level == record.FULL then
      tally.add(c, lost_trees[i], 'x', #its)
    end
  end
  tally.write(c)
end
if #taken > 0 then call('HDEL', key_held, unpack(taken)) end
queue.release(q, #taken)
if more == 0 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:' .. q.source)
  local works = false
  for _, field in ipairs(call('HKEYS', key_session)) do works = works or string.sub(field, 1, 4) == 'set:' end
  if not works then
    call('UNLINK', key_session)
    call('ZREM', key_condemned, arg_session)
  end
end
local out, soon = {OK, requeued, ended, more}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
