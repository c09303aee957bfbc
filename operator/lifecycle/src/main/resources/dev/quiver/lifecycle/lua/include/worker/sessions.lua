-- Refuses a session that has ended, and counts the calls of one that has not. A store that came back with an earlier
-- state has counted fewer calls than the session knows to be executed: tasks that it settled may be held again, tasks
-- that it claimed be queued. Such a session is refused for ever; its successor takes back what it holds, and no loss is
-- counted.
-- MODULE sessions
-- What the script is to answer, or nothing and how many calls were executed.
function sessions.refusal(c)
  if not call('ZSCORE', c.key_sessions, c.arg_session) then return {FENCED} end
  local executed = call('HINCRBY', c.key_session, 'calls', 1)
  if executed <= tonumber(c.arg_executed) then
    if executed > 0 then call('HSET', c.key_session, 'calls', '-1000000000000000') end
    return {FENCED}
  end
  return nil, executed
end
