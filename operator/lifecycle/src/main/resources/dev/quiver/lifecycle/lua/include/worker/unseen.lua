-- Whether something waits for workers that the last look did not see. Programs that put work under a granted prefix wake
-- nobody. What waits may be for types that no worker here runs, and then it waits all day: a look that finds the same again
-- wakes nobody either. Of a large set only its size is compared, so it counts as new from time to time.
-- `source` is the hash of the source, `set` has names of what waits, `others` counts the rest.
-- MODULE news
local SEEN_MEMBERS, SEEN_MS = 64, 5000
function news.unseen(source, now, set, others)
  local size = redis.pcall('SCARD', set)
  size = type(size) == 'number' and size or 0 -- another program's key
  local seen = string.format('%.0f %.0f ', size, others)
  if size > SEEN_MEMBERS then
    seen = seen .. string.format('%.0f', math.floor(now / SEEN_MS))
  elseif size > 0 then
    local names = call('SRANDMEMBER', set, SEEN_MEMBERS)
    table.sort(names)
    seen = seen .. redis.sha1hex(table.concat(names, '\n'))
  end
  if call('HGET', source, 'seen') == seen then return false end
  call('HSET', source, 'seen', seen)
  return size + others > 0
end
