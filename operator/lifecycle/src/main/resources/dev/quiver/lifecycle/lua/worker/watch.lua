-- Finds sets whose delayed tasks are due, and, for one caller each `pause`, sessions whose lease ended and those already
-- fenced. Guarantee: a silence of the store or of all watchers is nobody's fault, leases then get their full length
-- again. A clock of the store that stepped back puts nothing off: no time on record lies further ahead than it was put.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (reap_due, watched_at, reap_after)
-- KEYS sessions: live sessions
-- KEYS fenced: sessions being taken back
-- KEYS delayed: sets with delayed tasks
-- ARGV lease: 0..100000000000000; ms of a session's lease
-- ARGV adoption: 0..100000000000000; ms for which a fenced session is left to its successor at most
-- ARGV gap: 0..100000000000000; ms without a watcher that count as a silence
-- ARGV pause: 0..100000000000000; ms to the next round
-- ARGV most: 1..1024; sets, and sessions of each kind, to return at most
-- RETURNS {OK, due[]: sets with due tasks, sessions...: that expired and then those fenced} | {NOTHING} | {TOO_LARGE,
--   words}
-- USES common/now common/bounds
local BESIDE, AHEAD = 1048576, 16384
local unread = bounds.fields(key_meta, 'reap_due', 'watched_at', 'reap_after', 'schema')
if unread then return {TOO_LARGE, unread} end
local m = call('HMGET', key_meta, 'reap_due', 'watched_at', 'reap_after', 'schema')
if not m[4] then return {NOTHING} end
local words = bounds.members(key_delayed, call('ZCARD', key_delayed), tonumber(arg_most), BESIDE)
  or bounds.members(key_sessions, call('ZCARD', key_sessions), tonumber(arg_most), BESIDE)
  or bounds.members(key_fenced, call('ZCARD', key_fenced), tonumber(arg_most), BESIDE)
-- Those are the last ones, which a measure of the first ones has not seen; there are none while the clock goes on.
local function far(key, latest)
  if call('ZCOUNT', key, '(' .. latest, '+inf') == 0 then return nil end
  local entries = call('ZCARD', key)
  if entries > AHEAD then
    return key .. ' has times too far ahead among ' .. entries .. ' entries, at most ' .. AHEAD .. ' are measured'
  end
  return bounds.members(key, entries, 0, BESIDE)
end
local last_lease, last_adoption = now + tonumber(arg_lease), now + tonumber(arg_adoption)
words = words or far(key_sessions, last_lease) or far(key_fenced, last_adoption)
if words then return {TOO_LARGE, words} end
local due = call('ZRANGEBYSCORE', key_delayed, '-inf', now, 'LIMIT', 0, arg_most)
local out = {OK, #due}
for i = 1, #due do out[i + 2] = due[i] end
local ahead = (tonumber(m[1] or '0') or 0) - now
if ahead > 0 and ahead <= tonumber(arg_pause) then return #due > 0 and out or {NOTHING} end
local watched_at, reap_after = tonumber(m[2] or '0') or 0, tonumber(m[3] or '0') or 0
if now - watched_at > tonumber(arg_gap) or now < watched_at then reap_after = now + tonumber(arg_lease) end
call('HSET', key_meta, 'reap_due', now + tonumber(arg_pause), 'watched_at', now, 'reap_after', reap_after)
-- At most so many a round: each round takes the next ones.
local function pull_back(key, latest)
  local late = call('ZRANGEBYSCORE', key, '(' .. latest, '+inf', 'LIMIT', 0, arg_most)
  for i = 1, #late do call('ZADD', key, latest, late[i]) end
end
pull_back(key_sessions, last_lease)
pull_back(key_fenced, last_adoption)
local function append(sessions)
  for i = 1, #sessions do out[#out + 1] = sessions[i] end
end
if now >= reap_after then append(call('ZRANGEBYSCORE', key_sessions, '-inf', '(' .. now, 'LIMIT', 0, arg_most)) end
append(call('ZRANGEBYSCORE', key_fenced, '-inf', now, 'LIMIT', 0, arg_most))
return out
