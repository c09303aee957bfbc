-- What owners add to the priority of tags. An owner says all of its boosts at once; with a lease they end with it.
-- MODULE boosts
-- USES task/classes task/commands
boosts.MOST_OF_OWNER, boosts.MOST_OF_POOL, boosts.MOST_WORTH = 256, 10000, 10000000
local function row(owner, tag) return 'b' .. owner .. '\0' .. tag .. '\0' end
-- What the owner has set: tag to boost.
function boosts.of(q, owner)
  local all, start = {}, 'b' .. owner .. '\0'
  local rows = call('ZRANGEBYLEX', q.ranks, '[' .. start, '(b' .. owner .. '\1', 'LIMIT', 0, boosts.MOST_OF_OWNER)
  for i = 1, #rows do
    local tag, value = string.match(rows[i], '^([^%z]*)%z(%-?%d+)$', #start + 1)
    if tag and #value <= 9 then all[tag] = tonumber(value) else call('ZREM', q.ranks, rows[i]) end
  end
  return all
end
-- How many are set, by all owners.
function boosts.count(q) return call('ZLEXCOUNT', q.ranks, '[b', '(c') end
local function set(q, owner, tag, was, value)
  if was then call('ZREM', q.ranks, row(owner, tag) .. string.format('%.0f', was)) end
  if value then call('ZADD', q.ranks, 0, row(owner, tag) .. string.format('%.0f', value)) end
  classes.worth(q, tag, (value or 0) - (was or 0))
end
-- The owner's boosts are these and no others; answers how many tags changed. Each tag's sum is whole at once. Classes
-- and sources follow, a page of them in this call.
function boosts.replace(c, q, owner, wanted)
  local has, tags = boosts.of(q, owner), {}
  for tag, value in pairs(has) do
    if wanted[tag] ~= value then tags[#tags + 1] = tag end
  end
  for tag in pairs(wanted) do
    if not has[tag] then tags[#tags + 1] = tag end
  end
  table.sort(tags)
  for i = 1, #tags do set(q, owner, tags[i], has[tags[i]], wanted[tags[i]]) end
  local left = classes.PAGE
  for i = 1, #tags do
    if left > 0 then left = left - classes.move(c, q, tags[i], true) else classes.move_later(c, q, tags[i]) end
  end
  return #tags
end
-- The owner's boosts end at this time unless it says them again; nil for those that stay.
function boosts.lease(c, q, owner, ends)
  if not ends then return call('HDEL', q.classes, '@' .. owner) end
  call('HSET', q.classes, '@' .. owner, string.format('%.0f', ends))
  commands.once(c, 'lease', owner, '', q.name, ends)
end
-- Takes the boosts of an owner back whose lease is over.
function boosts.expire(c, q, owner)
  local ends = tonumber(call('HGET', q.classes, '@' .. owner) or '')
  if not ends then return end
  if ends > c.now then return commands.once(c, 'lease', owner, '', q.name, ends) end
  boosts.replace(c, q, owner, {})
  call('HDEL', q.classes, '@' .. owner)
end
-- Takes boosts of all owners back, at most a page of them; answers how many.
function boosts.clear(c, q)
  local rows = call('ZRANGEBYLEX', q.ranks, '[b', '(c', 'LIMIT', 0, boosts.MOST_OF_OWNER)
  for i = 1, #rows do
    local owner, tag, value = string.match(rows[i], '^b([^%z]*)%z([^%z]*)%z(%-?%d+)$')
    if owner and #value <= 9 then
      set(q, owner, tag, tonumber(value), nil)
      call('HDEL', q.classes, '@' .. owner)
      classes.move_later(c, q, tag)
    else
      call('ZREM', q.ranks, rows[i])
    end
  end
  return #rows
end
