-- A session that holds nothing and found nothing leaves the source; else this call is its last one there.
-- Uses source, verdicts, claims, member, this_call, key_session, key_held, key_source_sessions, arg_session, arg_call.
local did = table.concat(verdicts)
if member and #claims == 0 and call('HLEN', key_held) <= 1 then
  call('UNLINK', key_held)
  call('ZREM', key_source_sessions, arg_session)
  call('HDEL', key_session, 'set:' .. source)
  member = false
end
if member then
  call('HSET', key_held, '#', arg_call .. did)
elseif this_call > (tonumber(call('HGET', key_session, 'floor') or '0') or 0) then
  call('HSET', key_session, 'floor', arg_call)
end
