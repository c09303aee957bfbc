-- Gives back what a fenced session holds of a pool's tasks of the wire. Guarantee: each held task once, at most `most`
-- a call; what waited in its prefetch queue, and what the store forgot with its last second, keeps its try.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of the session
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, more: 1 when more is held} | {NOTHING} when it is not fenced | {TOO_LARGE, words}
-- USES worker/reaping idoit/wire idoit/source idoit/claims common/now worker/fate history/record
-- USES history/tally history/hours
idoit.open(c)
local refusal = reaping.refusal(c)
if refusal then return refusal end
local losses, became = {}, fate.of(key_session)
local taken, all = reaping.take(c, tonumber(arg_most), function(id, number, started)
  local t = idoit.read(c, id)
  if t and idoit_locks.give_back(c, t, arg_session, number, started and became) and started and not t.children_created then
    losses[#losses + 1] = t
  end
end)
if #losses > 0 and (call('HGET', key_pool, 'history') or '') ~= '' and record.level(c) < record.OFF then
  local run, its = hours.run(c, {name = arg_pool}), {}
  for i = 1, #losses do
    local id, tries = losses[i].key, idoit_locks.small(losses[i].quiver_tries)
    if #id <= 64 and not string.find(id, '[^%w._-]') then its[#its + 1] = '=' .. id .. ':' .. math.max(1, tries) .. ':t' end
  end
  tally.add(c, run, 'l', #losses)
  if record.level(c) == record.FULL then
    tally.add(c, run, 'x', #losses)
  elseif #its > 0 then
    record.append(c, 'k', 'l', 'u', run, 't', now, 's', arg_session, 'i', table.concat(its, ' '))
  end
  tally.write(c)
end
if all then reaping.close(c, 'idoit:' .. arg_pool) end
idoit_source.keep(c, -#taken, #taken)
return {OK, #taken, all and 0 or 1}
