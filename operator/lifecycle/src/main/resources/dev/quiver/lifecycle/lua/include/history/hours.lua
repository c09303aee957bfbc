-- The run of a pool's queue in this hour, which the trees without a resource belong to. The first task that ends in an hour
-- opens it; a command ends it behind the hour.
-- KEYS pool: hash of the pool's owner (history: how such trees are recorded, opening: what their runs begin with)
-- MODULE hours
-- USES common/now common/decimal task/commands history/record
local HOUR, SLACK = 3600000, 1000
function hours.run(c, q)
  local hour = math.floor(c.now / HOUR)
  local run = 'queue:' .. q.name .. ':' .. decimal.of(hour)
  if call('HEXISTS', c.key_records, run) == 0 then
    call('HSET', c.key_records, run, c.now)
    record.append(c, 'k', 'o', 'u', run, 't', c.now, 'b', call('HGET', c.key_pool, 'opening') or '')
    commands.leave(c, 'recorded', run, '', '', (hour + 1) * HOUR + SLACK)
  end
  return run
end
