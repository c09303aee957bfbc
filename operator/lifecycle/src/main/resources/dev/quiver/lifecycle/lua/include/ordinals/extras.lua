-- Fields that a source has where it is more than plain: results that are kept, a record, an order, copies, a bound of tasks at
-- once, a resource that is missing. Its field `plain` is 1 where it has none of them, so that most steps do not read them. One of an earlier version
-- does not say so, and is read.
-- MODULE extras
local MOST = 9007199254740992 -- a double counts no further exactly
-- Reads them into the source's fields. Answers an error where they make no sense.
function extras.open(c, source)
  if source.plain == '1' then return nil end
  local keeps, recorded, speculates, ordered, max_parallel, gate =
    unpack(call('HMGET', c.key_source, 'keeps', 'recorded', 'speculates', 'ordered', 'max_parallel', 'gate'))
  source.keeps, source.recorded, source.speculates, source.gate = keeps, recorded, speculates, gate
  source.ordered, source.max_parallel = tonumber(ordered or ''), tonumber(max_parallel or '')
  for name, text in pairs({ordered = ordered, max_parallel = max_parallel}) do
    local n = source[name]
    if text and not (n and n % 1 == 0 and n >= -MOST and n <= MOST) then
      return redis.error_reply('ERR field ' .. name .. ' of ' .. c.key_source .. ' is '
        .. string.format('%q', string.sub(text, 1, 40)) .. ', no whole number')
    end
  end
end
