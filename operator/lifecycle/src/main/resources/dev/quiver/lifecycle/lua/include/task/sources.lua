-- Sources of numbered tasks in the order of their pool: by a priority of their own and the boosts of their tags. What a tag is
-- worth stands in the queue of the pool's Tasks. There is also, for each of its sources, a member
--   s<tag> NUL <source> NUL <key of its hash, behind the keyspace's prefix>
-- The source's hash has `priority`, and `placed`: the tags that it is known by.
-- MODULE sources
-- USES worker/turn task/nodes task/classes task/commands
local MOST_PRIORITY, PLACE = 99999, 'place'
-- The keys of such a hash are declared by whoever runs this command.
function sources.place_later(c, name, key, tag, pool) commands.once(c, PLACE, name, key .. ' ' .. tag, pool) end
local function each(tags, act)
  for tag in string.gmatch(tags, '[^\30]+') do act(tag) end
end
-- Gives it its place, or takes it out of those that boosts concern where `rank` is nil. `tag`: another one that it may be
-- known by.
function sources.place(c, q, hash, name, key, rank, tag)
  local placed, was, out, into = call('HGET', hash, 'placed') or '', call('HGET', hash, 'priority'), {}, {}
  local priority, tags = nodes.rank_parts(rank or '')
  local function row(of) return 's' .. of .. '\0' .. name .. '\0' .. key end
  each(placed .. '\30' .. tag, function(of) out[#out + 1] = row(of) end)
  each(tags, function(of) into[#into + 1], into[#into + 2] = 0, row(of) end)
  if #out > 0 then call('ZREM', q.ranks, unpack(out)) end
  if not rank then
    if placed ~= '' then call('HDEL', hash, 'placed') end
    return
  end
  if #into > 0 then call('ZADD', q.ranks, unpack(into)) end
  if tags ~= placed then call('HSET', hash, 'placed', tags) end
  priority = math.max(-MOST_PRIORITY, math.min(priority + classes.boost_of(q, tags), MOST_PRIORITY))
  if priority == tonumber(was or '') then return end
  call('HSET', hash, 'priority', priority)
  local score = call('ZSCORE', q.ready, name)
  if score then call('ZADD', q.ready, 'XX', turn.of(q.ready, priority, math.fmod(tonumber(score), turn.BAND)), name) end
end
