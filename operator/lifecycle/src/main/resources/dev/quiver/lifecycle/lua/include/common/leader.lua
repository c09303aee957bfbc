-- Refuses a leader that the keyspace has seen a successor of; remembers the highest term. What is no number, or
-- longer than any, counts as none: a tenant wrote it. Uses key_meta, arg_term.
local LARGEST = 9007199254740992
local seen_term = call('HSTRLEN', key_meta, 'term') < 32 and tonumber(call('HGET', key_meta, 'term') or '0') or 0
seen_term = seen_term == seen_term and math.floor(seen_term) or 0 -- as Redis returns it; what equals nothing is none
if tonumber(arg_term) < seen_term then
  return {STALE_LEADER, math.min(seen_term, LARGEST)}
elseif tonumber(arg_term) > seen_term then
  call('HSET', key_meta, 'term', arg_term)
end
