-- Sources of numbered tasks in the order of their pool: by a priority of their own and the boosts of their tags, and not in it
-- while a resource that they name is missing. What a tag is worth, and which resource is there, stands in the queue of the
-- pool's Tasks. There are also, for each of its sources, members
--   s<tag> NUL <source> NUL <key of its hash, behind the keyspace's prefix>
--   u<resource> NUL <source> NUL <key>
-- The source's hash has `priority`; `placed`, the tags that it is known by; `gated`, the resources and their patterns; and
-- `gate` where it gives nothing out: the first one that is missing, or nothing while that is not known.
-- MODULE sources
-- USES worker/turn task/nodes task/classes task/gates task/commands
local MOST_PRIORITY, PLACE = 99999, 'place'
-- The keys of such a hash are declared by whoever runs this command.
function sources.place_later(c, name, key, tag, pool) commands.once(c, PLACE, name, key .. ' ' .. tag, pool) end
local function each(list, act)
  for name in string.gmatch(list, '[^\30]+') do act(name) end
end
-- Gives it its place, or takes it out of those that boosts and resources concern where `rank` is nil. `tag` and `resource`:
-- further ones that it may be known by. Answers whether its gate has changed, and the gate.
function sources.place(c, q, hash, name, key, rank, tag, resource)
  local placed, gated, gate, was = unpack(call('HMGET', hash, 'placed', 'gated', 'gate', 'priority'))
  local priority, tags = nodes.rank_parts(rank or '')
  local resources, known, out, into = nodes.resources_of(rank and nodes.resolved(q, rank) or ''), {}, {}, {}
  local function row(letter, of) return letter .. of .. '\0' .. name .. '\0' .. key end
  each(resources, function(of)
    known[#known + 1] = of
    for _, pattern in ipairs(gates.patterns(of)) do known[#known + 1] = pattern end
  end)
  known = table.concat(known, '\30')
  each((placed or '') .. '\30' .. tag, function(of) out[#out + 1] = row('s', of) end)
  each((gated or '') .. '\30' .. resource, function(of) out[#out + 1] = row('u', of) end)
  each(tags, function(of) into[#into + 1], into[#into + 2] = 0, row('s', of) end)
  each(known, function(of) into[#into + 1], into[#into + 2] = 0, row('u', of) end)
  if #out > 0 then call('ZREM', q.ranks, unpack(out)) end
  if not rank then
    if placed or gated then call('HDEL', hash, 'placed', 'gated') end
    return false, gate
  end
  if #into > 0 then call('ZADD', q.ranks, unpack(into)) end
  if tags ~= (placed or '') then call('HSET', hash, 'placed', tags) end
  if known ~= (gated or '') then call('HSET', hash, 'gated', known) end
  local missing = gates.first_of_source(q, resources)
  missing = missing ~= '' and missing
  if missing ~= gate then
    if missing then call('HSET', hash, 'gate', missing, 'plain', 0) else call('HDEL', hash, 'gate') end
  end
  priority = math.max(-MOST_PRIORITY, math.min(priority + classes.boost_of(q, tags), MOST_PRIORITY))
  if priority ~= tonumber(was or '') then
    call('HSET', hash, 'priority', priority)
    local score = call('ZSCORE', q.ready, name)
    if score then call('ZADD', q.ready, 'XX', turn.of(q.ready, priority, math.fmod(tonumber(score), turn.BAND)), name) end
  end
  return missing ~= gate, missing
end
