-- Where a set of this priority stands in its pool's order; the lowest score is next. `order` is the pool's key ready.
-- Score: (99999 - priority) * 2^35 + virtual time. A set that comes back stands between the first of its own priority
-- and the place behind the last: waiting earns nothing, rejoining costs nothing, and the picks of a time that it had alone
-- are not held against it.
-- MODULE turn
local BAND = 34359738368
turn.BAND = BAND
local function whole_between(text, least, most) -- 0 for what is none: a tenant may have written it
  local n = tonumber(text or '')
  return n and n % 1 == 0 and n >= least and n <= most and n or 0
end
function turn.base(priority) return (99999 - whole_between(priority, -99999, 99999)) * BAND end
function turn.of(order, priority, virtual_time)
  local base = turn.base(priority)
  virtual_time = whole_between(virtual_time, 0, BAND)
  local first = call('ZRANGEBYSCORE', order, base, base + BAND - 1, 'WITHSCORES', 'LIMIT', 0, 1)
  if not first[2] then return base + virtual_time end
  local last = call('ZRANGE', order, base + BAND - 1, base, 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
  return math.min(math.max(base + virtual_time, tonumber(first[2])), tonumber(last[2]) + 1)
end
