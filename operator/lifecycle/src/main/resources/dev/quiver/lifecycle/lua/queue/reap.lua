-- Gives back what a condemned session holds under a prefix. Guarantee: each held task once, at most `most` a call; what waited
-- in its prefetch queue, and what the store forgot with its last second, keeps its attempt.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS condemned: sessions being taken back
-- KEYS session: hash of the session
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, requeued, 1 when more is held} | {NOTHING} when it is not condemned | {TOO_LARGE, words}
-- USES queue/wire queue/source queue/claims common/now common/bounds
jobs.open(c)
if not call('ZSCORE', key_condemned, arg_session) then return {NOTHING} end
local HELD, HELD_BYTES = 65536, 16777216
local words = bounds.hash(key_held, HELD, HELD_BYTES) or bounds.hash(key_session, HELD, HELD_BYTES)
if words then return {TOO_LARGE, words} end
local rewound = (tonumber(call('HGET', key_session, 'calls') or '0') or 0) < 0
local held, taken, more = call('HGETALL', key_held), {}, 0
for i = 1, #held, 2 do
  local number, place = string.match(held[i + 1], '^(%d+)@(.*)$')
  if number and #taken >= tonumber(arg_most) then
    more = 1
    break
  end
  if number then
    taken[#taken + 1] = held[i]
    job_locks.give_back(c, job_locks.unit(c, held[i]), arg_session, number, not rewound and string.sub(place, 1, 1) ~= '-')
  end
end
if #taken > 0 then call('HDEL', key_held, unpack(taken)) end
if more == 0 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:queue:' .. arg_pool)
  local works = false
  for _, field in ipairs(call('HKEYS', key_session)) do works = works or string.sub(field, 1, 4) == 'set:' end
  if not works then
    call('UNLINK', key_session)
    call('ZREM', key_condemned, arg_session)
  end
end
job_source.keep(c, -#taken, #taken)
return {OK, #taken, more}
