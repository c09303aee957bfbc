-- The run of a pool's queue in this hour, which the trees without a resource belong to. The first task that ends in an hour
-- opens it; a command ends it behind the hour. Uses record, tally, command, whole, now, key_records.
-- KEYS pool: hash of the pool's owner (history: how such trees are recorded, opening: what their runs begin with)
tally.HOUR, tally.SLACK = 3600000, 1000
function tally.run_of_hour(q)
  local hour = math.floor(now / tally.HOUR)
  local run = 'queue:' .. q.name .. ':' .. whole(hour)
  if call('HEXISTS', key_records, run) == 0 then
    call('HSET', key_records, run, now)
    record.append('k', 'o', 'u', run, 't', now, 'b', call('HGET', key_pool, 'opening') or '')
    command('recorded', run, '', '', (hour + 1) * tally.HOUR + tally.SLACK)
  end
  return run
end
