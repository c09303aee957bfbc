-- Gives back what a condemned session holds of a pool's tasks of the wire. Guarantee: each held task once, at most `most` a call;
-- what waited in its prefetch queue, and what the store forgot with its last second, keeps its try.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS condemned: sessions being taken back
-- KEYS session: hash of the session
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, 1 when more is held} | {NOTHING} when it is not condemned | {TOO_LARGE, words}
-- USES idoit/wire idoit/source idoit/claims common/now common/bounds history/record history/tally
-- USES history/hours
idoit.open(c)
if not call('ZSCORE', key_condemned, arg_session) then return {NOTHING} end
local HELD, HELD_BYTES = 65536, 16777216
local words = bounds.hash(key_held, HELD, HELD_BYTES) or bounds.hash(key_session, HELD, HELD_BYTES)
if words then return {TOO_LARGE, words} end
local rewound = (tonumber(call('HGET', key_session, 'calls') or '0') or 0) < 0
local held, taken, losses, more = call('HGETALL', key_held), {}, {}, 0
for i = 1, #held, 2 do
  local number, place = string.match(held[i + 1], '^(%d+)@(.*)$')
  if number and #taken >= tonumber(arg_most) then
    more = 1
    break
  end
  if number then
    taken[#taken + 1] = held[i]
    local t = idoit.read(c, held[i])
    local started = not rewound and string.sub(place, 1, 1) ~= '-'
    if t and idoit_locks.give_back(c, t, arg_session, number, started) and started and not t.children_created then
      losses[#losses + 1] = t
    end
  end
end
if #taken > 0 then call('HDEL', key_held, unpack(taken)) end
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
if more == 0 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:idoit:' .. arg_pool)
  local works = false
  for _, field in ipairs(call('HKEYS', key_session)) do works = works or string.sub(field, 1, 4) == 'set:' end
  if not works then
    call('UNLINK', key_session)
    call('ZREM', key_condemned, arg_session)
  end
end
idoit_source.keep(c, -#taken, #taken)
return {OK, #taken, more}
