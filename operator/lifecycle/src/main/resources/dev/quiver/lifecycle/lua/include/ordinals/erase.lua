-- Deletes what every source has. Answers what the caller is to answer where it cannot.
-- Uses finish, the keys that it names, arg_source, arg_most, arg_ids, key_of_sessions.
-- USES common/bounds
local function erase()
  local BESIDE = 1048576
  local words = bounds.whole(key_source_sessions, call('ZCARD', key_source_sessions), tonumber(arg_most), BESIDE)
  if words then return {TOO_LARGE, words} end
  if call('HGET', key_source, 'finished_at') == '0' then finish('cancelled', 'Deleted', '') end
  local given = {}
  for i = arg_ids, #ARGV do given[ARGV[i]] = true end
  for _, session in ipairs(call('ZRANGE', key_source_sessions, 0, -1)) do
    if not given[session] then
      call('ZREM', key_ready, arg_source)
      return {AGAIN}
    end
  end
  for i = key_of_sessions, #KEYS, 2 do
    call('UNLINK', KEYS[i])
    call('HDEL', KEYS[i + 1], 'set:' .. arg_source)
  end
  call('UNLINK', key_source, key_task_queue, key_payload, key_trouble, key_source_delayed, key_failures,
    key_source_sessions)
  call('ZREM', key_delayed, arg_source)
  call('ZREM', key_ready, arg_source)
  call('ZREM', key_reports, arg_source)
  if call('ZCARD', key_ready) == 0 then
    call('UNLINK', key_wake)
  elseif call('LLEN', key_wake) == 0 then
    call('RPUSH', key_wake, '') -- its taker may have picked this source
  end
end
