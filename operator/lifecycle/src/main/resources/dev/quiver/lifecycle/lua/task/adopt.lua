-- Moves tasks of one pool from a fenced session to the next one of its pod, which found them in its slots, and notes
-- which others were never started. Guarantee: done once for each (session, call), a repeat gives the same answer; each
-- task gets a new fence; what is not named stays to be taken back. No run is lost, no trial used.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS earlier_held: what the earlier session holds
-- KEYS held: what this session holds
-- KEYS source_sessions: sessions that work at the queue
-- KEYS pool: hash of the pool's owner (history: how trees without a resource are recorded)
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV earlier: id of the earlier one
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV rows...: 0..4096; (id, slot and generation that run the task, or a place of the queue when it was never started)
-- RETURNS {OK, executed, recording: how tasks without a resource are recorded or nothing, claims...(id, place, trial,
--   max_trials, failed, body, from, given, progress, relocation, tokens)} | {FENCED} | {STALE}
-- USES worker/sessions worker/adoption common/now worker/claimed task/nodes task/flow task/dispatch
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
flow.open(c, KEYS, key_pools)
if not c.own_queue then return redis.error_reply('ERR task/adopt: no pool is declared') end
local answer = adoption.move(c, c.own_queue.source, ARGV, arg_rows, function(id)
  local n = nodes.get(c, id)
  return n and nodes.is_alive(c, n)
end)
if answer then return answer end
local out = {OK, executed, call('HGET', key_pool, 'history') or ''}
dispatch.append(c, out, holds.of_call(key_held, arg_call))
return out
