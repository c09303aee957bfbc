-- Brings the chunks of a node before it begins. Guarantee: idempotent by offset, also where several callers bring the
-- same; only the trial that holds the task which makes them may; a new trial begins anew, and what an earlier one
-- brought is gone. A trial that brings a page begins behind the pages before it, which stay. A call of a session
-- counts, so a store that forgets it refuses the session's next step.
-- FOR operator, worker
-- FLAGS
-- KEYS nodes: id to record
-- KEYS sessions: live sessions
-- KEYS session: hash of the session
-- KEYS feeder_held: what the session holds of the queue of the task that makes the chunks
-- KEYS source: hash of the source
-- KEYS payload: id to payload
-- KEYS feeding: nodes whose chunks come, or wait for memory, by the time of the last try
-- ARGV node: id of the node
-- ARGV session: that holds the task; empty where the chunks are those of the node's document or input
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV feeder: id of that task
-- ARGV fence: call number of its claim
-- ARGV offset: 0..9007199254740992; ordinal of the first chunk
-- ARGV base: 0..9007199254740992; how many chunks the pages before this one have
-- ARGV last: 0..1; 1 when none follow
-- ARGV max_payload: 0..9007199254740992; bytes of the longest chunk of this call
-- ARGV payloads...: 0..1000; at most 200
-- RETURNS {OK, known: chunks, executed} | {GAP, known: chunks} | {CLOSED} when the source has begun | {STALE} when the
--   task is not the session's | {FENCED} | {GONE} when the node is not there, or waits for none
-- USES worker/sessions common/now
local counted = 0
if arg_session ~= '' then
  local refusal, executed = sessions.refusal(c)
  if refusal then return refusal end
  counted = executed
end
-- A node waits while its chunks are brought by a task before it; else it has begun and its source has not.
local record = call('HGET', key_nodes, arg_node)
if not record or string.match(record, '^%a\t(%a)') ~= (arg_session ~= '' and 'w' or 'i') then return {GONE} end
-- FIELDS source: status, feeder_trial, source_closed numbers: count, max_payload
if source.status and source.status ~= 'feeding' then return {CLOSED} end
local prefix = arg_fence .. '@'
if arg_session ~= '' then
  local held = call('HGET', key_feeder_held, arg_feeder)
  if not held or string.sub(held, 1, #prefix) ~= prefix then return {STALE} end
end
local mine = arg_session .. ' ' .. arg_fence
source.count, source.max_payload = source.count or 0, source.max_payload or 0
local done = arg_last == '1'
if source.feeder_trial ~= mine then
  local base = tonumber(arg_base)
  if base > source.count then return {GAP, source.count} end
  if base == 0 then
    call('UNLINK', key_payload)
    source.max_payload = 0
  end
  source.count, source.source_closed = base, '0' -- what a trial brought behind it is written over, or stays until the source goes
end
local offset = tonumber(arg_offset)
if offset > source.count then return {GAP, source.count} end
local rows = {}
for i = arg_payloads + source.count - offset, #ARGV do
  rows[#rows + 1] = source.count
  rows[#rows + 1] = ARGV[i]
  source.count = source.count + 1
end
if #rows > 0 then call('HSET', key_payload, unpack(rows)) end
if done then call('ZREM', key_feeding, arg_node) elseif source.feeder_trial ~= mine then call('ZADD', key_feeding, now, arg_node) end
if done then call('HDEL', key_source, 'refused', 'reason', 'message') end
call('HSET', key_source, 'status', 'feeding', 'feeder_trial', mine, 'count', source.count, 'source_closed', done and '1' or source.source_closed,
  'max_payload', math.max(source.max_payload, tonumber(arg_max_payload)))
return {OK, source.count, counted}
