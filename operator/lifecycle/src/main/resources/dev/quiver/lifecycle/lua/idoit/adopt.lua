-- Moves tasks of the wire from a fenced session to the next one of its pod, which found them in its slots, and notes which
-- others were never started. Guarantee: done once for each (session, call), a repeat gives the same answer; each task gets
-- a new fence; what is not named stays to be taken back.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
-- KEYS session: hash of this session (floor, set:<source>)
-- KEYS earlier_held: what the earlier session holds
-- KEYS source_sessions: sessions that work at the source
-- KEYS pool: hash of the pool's owner (history: how its tasks are recorded)
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV earlier: id of the earlier one
-- ARGV call: 0..9007199254740992; call number, growing within the session
-- ARGV pool: its name, also on the wire
-- ARGV rows...: 0..4096; (id, slot and generation that run the task, or a place of the queue when it was never started)
-- RETURNS {OK, executed, recording: how tasks without a resource are recorded or nothing, claims...(id, place, uid,
--   name, tries, retries, args, options, progress)} | {FENCED} | {STALE}
-- USES worker/sessions worker/adoption idoit/wire idoit/claims common/now worker/claimed
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
idoit.open(c)
local function adopted(t, number)
  if t.children_created then
    local command = idoit_locks.called_by(c, t, arg_earlier, number)
    if command then call('HSET', key_iterating, t.key, arg_session .. '/' .. arg_call .. '/' .. command) end
    return command
  end
  local deadline = idoit_locks.locked_until(c, t, arg_earlier, number)
  if deadline then idoit.written(c, t, 'quiver_lock', idoit_locks.lock_of(arg_session, arg_call, deadline)) end
  return deadline
end
local answer = adoption.move(c, 'idoit:' .. arg_pool, ARGV, arg_rows, function(id, number)
  local t = idoit.read(c, id)
  return t and adopted(t, number)
end)
if answer then return answer end
local out = {OK, executed, call('HGET', key_pool, 'history') or ''}
idoit_locks.append(c, out, holds.of_call(key_held, arg_call))
return out
