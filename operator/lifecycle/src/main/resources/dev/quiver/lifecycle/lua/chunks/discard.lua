-- Takes back what a trial has brought of a node's chunks, because Redis has no memory for the rest, and counts how often
-- that was. Guarantee: only for the trial that holds the task which makes them; what earlier pages brought stays; a call
-- of a session counts.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS session: hash of the session
-- KEYS feeder_held: what the session holds of the queue of the task that makes the chunks
-- KEYS source: hash of the source
-- KEYS payload: id to payload
-- KEYS feeding: nodes whose chunks come, or wait for memory, by the time of the last try
-- KEYS children: nodes with chunks that have begun, <tree>#<ordinal>
-- ARGV node: id of the node
-- ARGV session: that holds the task; empty where the chunks are those of the node's document or input
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV feeder: id of that task
-- ARGV fence: call number of its claim
-- ARGV base: 0..9007199254740992; how many chunks the pages before this one have
-- ARGV words: for people, while the task waits
-- RETURNS {OK, executed, refused: times in a row, taken: chunks taken back, feeding: other nodes whose chunks come,
--   begun: other nodes with chunks} | {CLOSED} when the source has begun | {STALE} when the task is not the session's |
--   {FENCED}
-- USES worker/sessions common/now
local LOOKED_AT, PAGE, RECENT_MS, MOST_CHUNKS = 1000, 1000, 60000, 131072
local counted = 0
if arg_session ~= '' then
  local refusal, executed = sessions.refusal(c)
  if refusal then return refusal end
  counted = executed
  local held, prefix = call('HGET', key_feeder_held, arg_feeder), arg_fence .. '@'
  if not held or string.sub(held, 1, #prefix) ~= prefix then return {STALE} end
end
-- FIELDS source: status, feeder_trial numbers: count, refused, refused_at
if source.status and source.status ~= 'feeding' then return {CLOSED} end
local base = tonumber(arg_base)
local last = source.feeder_trial == arg_session .. ' ' .. arg_fence and source.count or base
last = math.min(last or base, base + math.min(call('HLEN', key_payload), MOST_CHUNKS)) -- no more are there
source.refused = source.refused_at == base and (source.refused or 0) + 1 or 1
if base == 0 then
  call('UNLINK', key_payload)
else
  for from = base, last - 1, PAGE do
    local ids = {}
    for id = from, math.min(from + PAGE, last) - 1 do ids[#ids + 1] = id end
    call('HDEL', key_payload, unpack(ids))
  end
end
call('HSET', key_source, 'status', 'feeding', 'feeder_trial', '', 'count', base, 'source_closed', '0', 'refused', source.refused,
  'refused_at', base, 'reason', 'OutOfMemory', 'message', arg_words)
call('ZADD', key_feeding, now, arg_node)
local begun = 0
for _, member in ipairs(call('ZRANGE', key_children, 0, LOOKED_AT - 1)) do
  if string.find(member, '#', 1, true) then begun = begun + 1 end
end
return {OK, counted, source.refused, math.max(0, last - base), call('ZCOUNT', key_feeding, now - RECENT_MS, '+inf') - 1, begun}
