-- Deletes what every source has, and the members by which boosts and resources concern it (see task/sources).
-- MODULE erasure
-- USES common/bounds ordinals/closing ordinals/unpassed
local BESIDE, MOST_PLACED = 1048576, 4096 -- bytes of eight resources and their patterns
-- In the script that deletes the hash: afterwards no one knows which tags and resources it had. A key of another type, which a tenant
-- made, keeps no run from being deleted.
local function displace(c)
  local key = string.match(c.key_source, '(%l+:[%w.-]+)$')
  for field, letter in pairs({placed = 's', gated = 'u'}) do
    local list = key and call('HSTRLEN', c.key_source, field) <= MOST_PLACED and call('HGET', c.key_source, field) or ''
    for of in string.gmatch(list, '[^\30]+') do
      redis.pcall('ZREM', c.key_ranks, letter .. of .. '\0' .. c.arg_source .. '\0' .. key)
    end
  end
end
-- given: a set of sessions; of each, `keys` have what it holds of the source and its hash, from `first` on. Answers what the
-- script is to answer where it cannot.
function erasure.erase(c, given, keys, first)
  local words = bounds.whole(c.key_source_sessions, call('ZCARD', c.key_source_sessions), tonumber(c.arg_most), BESIDE)
  if words then return {TOO_LARGE, words} end
  if call('HGET', c.key_source, 'finished_at') == '0' then closing.finish(c, 'cancelled', 'Deleted', '') end
  for _, session in ipairs(call('ZRANGE', c.key_source_sessions, 0, -1)) do
    if not given[session] then
      call('ZREM', c.key_ready, c.arg_source)
      return {AGAIN}
    end
  end
  for i = first, #keys, 2 do
    call('UNLINK', keys[i])
    call('HDEL', keys[i + 1], 'set:' .. c.arg_source)
  end
  displace(c)
  call('UNLINK', c.key_source, c.key_task_queue, c.key_payload, c.key_trouble, c.key_source_delayed, c.key_failures,
    c.key_source_sessions, c.key_unpassed, c.key_order)
  call('ZREM', c.key_delayed, c.arg_source)
  call('ZREM', c.key_ready, c.arg_source)
  call('ZREM', c.key_reports, c.arg_source)
  if call('ZCARD', c.key_ready) == 0 then
    call('UNLINK', c.key_wake)
  elseif call('LLEN', c.key_wake) == 0 then
    call('RPUSH', c.key_wake, '') -- its taker may have picked this source
  end
end
