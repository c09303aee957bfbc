-- Offers tasks that take long to other sessions while nothing else of their source waits, and names those that another
-- holder has decided, which their worker has to stop. Guarantee: repeating it is harmless; only what this session holds is
-- offered. A task takes long when it ran for twice its usual time, and a second at least. It also does where the worker is
-- slow and what is left would take longer than the whole task elsewhere.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of this session
-- KEYS source: hash of the source
-- KEYS trouble: failed and lost runs
-- KEYS order: of the tasks that are given out
-- KEYS held: what this session holds
-- KEYS source_sessions: sessions that work at the source
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- ARGV session: id of the session
-- ARGV source: its name in the pool's order
-- ARGV slowness: 0..1000000; thousandths of a task's usual time that it takes here, 0 while the worker does not know
-- ARGV running...: 0..512; of each task that runs its id, and for how many ms it does
-- RETURNS {OK, stopped...}: ids | {FENCED} | {GONE}
-- USES ordinals/copies ordinals/readiness ordinals/sequence ordinals/trouble worker/isolation
local SLOW, LEAST_MS, LATE, WORTH = sequence.SLOW, 1000, 2, 1.2
if not call('ZSCORE', key_sessions, arg_session) then return {FENCED} end
-- FIELDS source: status, ready, source_closed, speculates
--   numbers: count, cursor, left, running, delayed, max_workers, max_parallel, ordered, succeeded_count, passed_ms
if not source.status then return {GONE} end
if not source.speculates then return {OK} end
if not (source.count and source.cursor and source.left and source.running and source.max_workers) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
copies.open(c, source)
if source.ordered then sequence.open(c, source) end
local ids, out = {}, {OK}
for i = arg_running, #ARGV, 2 do ids[#ids + 1] = ARGV[i] end
for i = 1, #ids do
  if copies.is_decided(source, ids[i]) then out[#out + 1] = ids[i] end
end
if #ids == 0 or source.status ~= 'running' or readiness.claimable(source) > 0 or not copies.has_room(source) then return out end
local slowness, passed = tonumber(arg_slowness), source.succeeded_count or 0
local mean = passed > 0 and (source.passed_ms or 0) / passed or 0
local function usual_of(estimates, i)
  local ms = estimates[i] or 0
  if ms > 0 and ms % 2 == 0 then return ms, true end
  return mean > 0 and mean or ms, false
end
local function is_late(usual, known, ran)
  if usual <= 0 then return false end
  local left = usual * slowness / 1000 - ran
  return ran > math.max(LEAST_MS, LATE * usual) or known and slowness > SLOW and left > WORTH * usual
end
local estimates = {}
if source.ordered then
  for text in string.gmatch(sequence.estimates(c, source.ordered, ids), '%d+') do estimates[#estimates + 1] = tonumber(text) end
end
local held = call('HMGET', key_held, unpack(ids))
local troubles = call('HMGET', key_trouble, unpack(ids))
for i = 1, #ids do
  local usual, known = usual_of(estimates, i)
  local ran = tonumber(ARGV[arg_running + i * 2 - 1]) or 0
  local _, lost = trouble.parse(troubles[i])
  if held[i] and copies.may_be_offered(source, ids[i]) and lost < isolation.LOSSES and is_late(usual, known, ran) then
    copies.offer(source, ids[i], arg_slowness, arg_session)
  end
end
if source.copies_changed then
  copies.write(c, source)
  readiness.update(c, source.status, readiness.claimable(source), source.max_workers, source.ready == '1', false, source.offered)
end
return out
