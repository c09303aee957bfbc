-- Reads what some sessions hold of a source, and what the pool's registry has of them. Guarantee: changes nothing; what is
-- too large is refused, or left out, before it is copied.
-- FOR operator, history
-- FLAGS no-writes
-- KEYS workers: registry of the pool
-- KEYS of_sessions...: 0..1024; what each session holds of the source
-- ARGV most: 0..65536; entries of a session at most
-- ARGV most_bytes: 0..67108864; bytes of what a session holds at most
-- ARGV record_bytes: 0..1048576; bytes of an entry of the registry, larger ones are left out
-- ARGV ids...: 0..1024; the sessions
-- RETURNS {OK, now, sessions...} | {TOO_LARGE, words}. Of each session: entry of the registry or empty, number of
--   entries, (task, call@place)...
-- USES common/now common/bounds
local out = {OK, now}
for i = key_of_sessions, #KEYS do
  local words = bounds.hash(KEYS[i], tonumber(arg_most), tonumber(arg_most_bytes))
  if words then return {TOO_LARGE, words} end
  local session = ARGV[arg_ids + i - key_of_sessions]
  local known = call('HSTRLEN', key_workers, session) <= tonumber(arg_record_bytes) and call('HGET', key_workers, session)
  local held = call('HGETALL', KEYS[i])
  out[#out + 1] = known or ''
  out[#out + 1] = #held / 2
  for j = 1, #held do out[#out + 1] = held[j] end
end
return out
