-- Moves tasks of one source from a condemned session to the next one of its pod, which found them in its slots, and
-- notes which others were never started. Guarantee: done once for each (session, call), a repeat gives the same answer;
-- each task gets a new fence, so what the earlier session still sends counts nothing; what is not named stays to be taken
-- back. No run is lost, no trial used.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS condemned: sessions being taken back
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS source: hash of the source
-- KEYS payload: id to payload
-- KEYS trouble: failed and lost runs
-- KEYS earlier_held: what the earlier session holds
-- KEYS held: what this session holds
-- KEYS source_sessions: sessions that work at the source
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV earlier: id of the earlier one
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV source: its name in the pool's order
-- ARGV rows...: 0..4096; (id, slot and generation that run the task, or a place of the queue when it was never started)
-- RETURNS {OK, executed, (id, place, trial, payload)...} | {CONDEMNED} | {GONE} | {STALE}
-- USES worker/sessions worker/claimed ordinals/trouble
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
-- FIELDS source: status, fed
if not source.status then return {GONE} end
if (#ARGV - arg_rows + 1) % 2 ~= 0 then return redis.error_reply('ERR ordinals/adopt: a place is missing') end
local this_call, last = tonumber(arg_call), call('HGET', key_held, '#')
local last_call = last and string.match(last, '^%d+') or call('HGET', key_session, 'floor') or '0'
last_call = tonumber(last_call) or 0
if this_call < last_call then return {STALE} end
local open = source.status == 'running' or source.status == 'suspended'
if this_call > last_call and open and call('ZSCORE', key_condemned, arg_earlier) then
  local moved, rows, waiting = {}, {'#', arg_call}, {}
  for i = arg_rows, #ARGV, 2 do
    local id, place = ARGV[i], ARGV[i + 1]
    local entry = call('HGET', key_earlier_held, id)
    if entry and string.sub(place, 1, 1) == '-' then
      waiting[#waiting + 1] = id
      waiting[#waiting + 1] = (string.match(entry, '^%d+@') or '0@') .. place
    elseif entry then
      moved[#moved + 1] = id
      rows[#rows + 1] = id
      rows[#rows + 1] = arg_call .. '@' .. place
    end
  end
  if #waiting > 0 then call('HSET', key_earlier_held, unpack(waiting)) end
  if #moved > 0 then
    call('HDEL', key_earlier_held, unpack(moved))
    call('HSET', key_held, unpack(rows))
    call('ZADD', key_source_sessions, call('ZSCORE', key_source_sessions, arg_earlier) or 0, arg_session)
    call('HSET', key_session, 'set:' .. arg_source, 1)
  end
end
local ids, places = holds.of_call(key_held, arg_call)
local trials = trouble.trials(key_trouble, ids)
if #ids == 0 then return {OK, executed} end
local payloads = source.fed == '1' and call('HMGET', key_payload, unpack(ids))
local out = {OK, executed}
for i = 1, #ids do
  local at = #out
  out[at + 1], out[at + 2], out[at + 3] = ids[i], places[i], trials[i]
  out[at + 4] = payloads and payloads[i] or ''
end
return out
