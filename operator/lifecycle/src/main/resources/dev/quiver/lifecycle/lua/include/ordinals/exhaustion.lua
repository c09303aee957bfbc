-- Tasks that have no trial left although nobody has decided them: one of two holders failed for the last time, and the other
-- one, which was to decide, gives its task back or is lost.
-- MODULE exhaustion
-- USES ordinals/trouble
local FAILURE_BYTES = 8192
-- Whether this task, which nobody holds any more, is one.
function exhaustion.of(c, source, id)
  local failed, lost = trouble.parse(call('HGET', c.key_trouble, id))
  return failed >= source.max_trials or trouble.lost_too_often(lost, source.max_lost)
end
-- The failure of its last trial, as the sample has it.
function exhaustion.last_failure(c, id)
  local known = call('HSTRLEN', c.key_failures, id)
  local text = known > 1 and known <= FAILURE_BYTES and call('HGET', c.key_failures, id)
  return text and string.sub(text, 2)
    or cjson.encode({task = id, trial = 0, reason = 'TrialsUsedUp', message = 'its last trial failed while a copy of it ran'})
end
