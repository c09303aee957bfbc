-- Refuses a session that has ended, and counts the calls of one that has not. A store that came back with an earlier
-- state has counted fewer calls than the session knows to be executed: tasks that it settled may be held again, tasks
-- that it claimed be queued. Such a session is refused for ever; its successor takes back what it holds, and no loss is
-- counted. Uses key_sessions, key_session, arg_session, arg_executed.
if not call('ZSCORE', key_sessions, arg_session) then return {CONDEMNED} end
local executed = call('HINCRBY', key_session, 'calls', 1)
if executed <= tonumber(arg_executed) then
  if executed > 0 then call('HSET', key_session, 'calls', '-1000000000000000') end
  return {CONDEMNED}
end
