-- Takes back what a fenced session holds of a pool's Tasks. Guarantee: each held task once, at most `most` a call; what
-- waited in its prefetch queue was not lost, nor what the store forgot with its last second.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of the session
-- KEYS held: what the session holds
-- KEYS source_sessions: sessions that work at the queue
-- ARGV session: id of the session
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, ended, more: 1 when more is held, commands...: that may run now} | {NOTHING} when it is not
--   fenced | {TOO_LARGE, words}
-- USES worker/reaping worker/settling common/now common/decimal worker/fate task/nodes task/queue task/roots task/flow task/changes
-- USES history/record history/tally history/hours
flow.open(c, KEYS, key_pools)
local refusal = reaping.refusal(c)
if refusal then return refusal end
local q = c.own_queue
if not q then return redis.error_reply('ERR task/reap: no pool is declared') end
local became = fate.of(key_session)
local requeued, ended = 0, 0
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
  if verdict == settling.COUNTED then tally.add(c, tree, 'f', 1) end
end
-- The worker may go on for a while, cut off from Redis: who is asked then whether it was done would be wrong soon.
local function lost(n)
  local times = nodes.is_unsure(n) and n.lost + 1 or flow.MAX_LOST
  local words = 'the worker was lost' .. (times > 1 and ' ' .. decimal.of(times) .. ' times' or '') .. fate.last(became)
  local text, verdict = '{"reason":"WorkerLost","message":"' .. words .. '"}', settling.RETRIED
  if nodes.is_unsure(n) then
    flow.doubt(c, n, 'lost', flow.STOPS_MS, text)
  else
    verdict = flow.again_or_end(c, n, 'lost', false, nil, text)
  end
  note_loss(n, verdict)
  return verdict
end
local taken, all = reaping.take(c, tonumber(arg_most), function(id, _, started)
  local n, verdict = nodes.get(c, id), settling.RETRIED
  local runs = n and (n.state == nodes.LOCKED or n.kind == nodes.ITERATOR and flow.waits(n))
  if not runs or not nodes.is_alive(c, n) then return end
  if started then
    verdict = lost(n)
  elseif nodes.is_unsure(n) then -- it may have run since its worker was heard, or in the second that Redis has forgotten
    flow.doubt(c, n, nil, flow.STOPS_MS, '{"reason":"WorkerLost","message":"its worker was lost, and may have begun it"}')
  else
    if n.kind == nodes.LEAF then flow.enter(c, n, nodes.STARTABLE) end
    flow.queue_up(c, n)
  end
  if verdict == settling.RETRIED then requeued = requeued + 1 else ended = ended + 1 end
end)
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
queue.release(q, taken)
if all then reaping.close(c, q.source) end
local out, soon = {OK, requeued, ended, all and 0 or 1}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
