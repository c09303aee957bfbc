-- Finds sets whose delayed tasks are due, and, for one caller each `pause`, sessions whose lease ended and those already
-- condemned. Guarantee: a silence of the store or of all watchers is nobody's fault, leases then get their full length
-- again.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (reap_due, watched_at, reap_after)
-- KEYS sessions: live sessions
-- KEYS condemned: sessions being taken back
-- KEYS delayed: sets with delayed tasks
-- ARGV lease: ms of a session's lease
-- ARGV gap: ms without a watcher that count as a silence
-- ARGV pause: ms to the next round
-- ARGV most: sets, and sessions of each kind, to return at most
-- RETURNS {OK, n, n sets with due tasks..., sessions that expired, then those condemned...} | {NOTHING}
-- INCLUDE now
local m = call('HMGET', key_meta, 'reap_due', 'watched_at', 'reap_after', 'schema')
if not m[4] then return {NOTHING} end
local due = call('ZRANGEBYSCORE', key_delayed, '-inf', now, 'LIMIT', 0, arg_most)
local out = {OK, #due}
for i = 1, #due do out[i + 2] = due[i] end
if now < tonumber(m[1] or '0') then return #due > 0 and out or {NOTHING} end
local reap_after = tonumber(m[3] or '0')
if now - tonumber(m[2] or '0') > tonumber(arg_gap) then reap_after = now + tonumber(arg_lease) end
call('HSET', key_meta, 'reap_due', now + tonumber(arg_pause), 'watched_at', now, 'reap_after', reap_after)
local function append(sessions)
  for i = 1, #sessions do out[#out + 1] = sessions[i] end
end
if now >= reap_after then append(call('ZRANGEBYSCORE', key_sessions, '-inf', '(' .. now, 'LIMIT', 0, arg_most)) end
append(call('ZRANGEBYSCORE', key_condemned, '-inf', now, 'LIMIT', 0, arg_most))
return out
