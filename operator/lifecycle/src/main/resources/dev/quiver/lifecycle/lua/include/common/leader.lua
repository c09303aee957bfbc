-- Refuses a leader that the keyspace has seen a successor of; remembers the highest term. What is no number, or
-- longer than any, counts as none: a tenant wrote it.
-- MODULE leader
local LARGEST = 9007199254740992
-- What the script is to answer, or nothing.
function leader.refusal(c)
  local seen = call('HSTRLEN', c.key_meta, 'term') < 32 and tonumber(call('HGET', c.key_meta, 'term') or '0') or 0
  seen = seen == seen and math.floor(seen) or 0 -- as Redis returns it; what equals nothing is none
  if tonumber(c.arg_term) < seen then
    return {STALE_LEADER, math.min(seen, LARGEST)}
  elseif tonumber(c.arg_term) > seen then
    call('HSET', c.key_meta, 'term', c.arg_term)
  end
end
