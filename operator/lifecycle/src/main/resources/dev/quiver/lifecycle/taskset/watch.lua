-- Finds sessions whose lease ended and those already condemned. Guarantee: one caller each `pause` is let through; a
-- silence of the store or of all watchers is nobody's fault, leases then get their full length again.
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (reap_due, watched_at, reap_after)
-- KEYS sessions: live sessions
-- KEYS condemned: sessions being taken back
-- ARGV lease: ms of a session's lease
-- ARGV gap: ms without a watcher that count as a silence
-- ARGV pause: ms to the next round
-- ARGV most: sessions of each kind to return at most
-- RETURNS {OK, n, n expired sessions..., condemned sessions...} | {NOTHING}
-- INCLUDE now
local m = call('HMGET', key_meta, 'reap_due', 'watched_at', 'reap_after', 'schema')
if not m[4] or now < tonumber(m[1] or '0') then return {NOTHING} end
local reap_after = tonumber(m[3] or '0')
if now - tonumber(m[2] or '0') > tonumber(arg_gap) then reap_after = now + tonumber(arg_lease) end
call('HSET', key_meta, 'reap_due', now + tonumber(arg_pause), 'watched_at', now, 'reap_after', reap_after)
local out = {OK, 0}
if now >= reap_after then
  local expired = call('ZRANGEBYSCORE', key_sessions, '-inf', '(' .. now, 'LIMIT', 0, arg_most)
  out[2] = #expired
  for i = 1, #expired do out[i + 2] = expired[i] end
end
local condemned = call('ZRANGE', key_condemned, 0, tonumber(arg_most) - 1)
for i = 1, #condemned do out[#out + 1] = condemned[i] end
return out
