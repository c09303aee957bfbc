-- Moves tasks of one source from a fenced session to the next one of its pod, which found them in its slots, and
-- notes which others were never started. Guarantee: done once for each (session, call), a repeat gives the same answer;
-- each task gets a new fence, so what the earlier session still sends counts nothing; what is not named stays to be taken
-- back. No run is lost, no trial used.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
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
-- RETURNS {OK, executed, estimates: as step tells them, claims...(id, place, trial, payload)} | {FENCED} | {GONE} | {STALE}
-- USES worker/sessions worker/adoption worker/claimed ordinals/trouble ordinals/sequence ordinals/copies
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
-- FIELDS source: status, fed, speculates numbers: ordered
if not source.status then return {GONE} end
local open = source.status == 'running' or source.status == 'suspended'
local answer = adoption.move(c, arg_source, ARGV, arg_rows, open and function() return true end)
if answer then return answer end
local ids, places = holds.of_call(key_held, arg_call)
local trials = trouble.trials(key_trouble, ids)
if #ids == 0 then return {OK, executed, ''} end
local payloads = source.fed == '1' and call('HMGET', key_payload, unpack(ids))
local told = source.ordered and sequence.estimates(c, source.ordered, ids) or ''
if source.speculates then
  copies.open(c, source)
  copies.inherit(c, source, ids, arg_session)
  told = copies.tell(places, told)
end
local out = {OK, executed, told}
for i = 1, #ids do
  local at = #out
  out[at + 1], out[at + 2], out[at + 3] = ids[i], places[i], trials[i]
  out[at + 4] = payloads and payloads[i] or ''
end
return out
