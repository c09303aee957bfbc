-- The watchdogs of the wire: locks and commands that lapsed, retries that are due, tasks that are to be forgotten, deadlines.
-- Guarantee: whoever comes first does each; a score that has changed since means another one was quicker.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS delayed: sources with something that is due
-- KEYS deadlines: tasks of Quiver to the ms at which they end
-- ARGV pause: 0..100000000000000; ms to the next look
-- RETURNS {OK, commands of the pool that are due, pools that got commands...} | {GONE} when nothing is granted any more
-- USES common/now worker/unseen
-- INCLUDE idoit/wire
-- INCLUDE idoit/source
local source = 'idoit:' .. arg_pool
if call('HGET', key_source, 'prefix') ~= arg_prefix then
  call('ZREM', key_delayed, source)
  return {GONE}
end
local PAGE = 256
local function due(key) return call('ZRANGEBYSCORE', key, '-inf', whole(now), 'LIMIT', 0, PAGE) end
local came = 0
for _, set in ipairs({'locked', 'restart'}) do
  local ids = due(wire(set))
  for i = 1, #ids do
    local t = read(ids[i])
    call('ZREM', wire(set), ids[i])
    if t then
      startable(t)
      if pool_of(t) == arg_pool then came = came + 1 end
    end
  end
end
local locked, commands = wire(arg_pool .. ':commands_locked'), wire(arg_pool .. ':commands')
local lapsed = due(locked)
for i = 1, #lapsed do
  call('ZREM', locked, lapsed[i])
  call('ZADD', commands, whole(now), lapsed[i])
end
local ended = due(key_deadlines)
for i = 1, #ended do
  if tasks_left <= 0 then break end -- the next look ends the others
  call('ZREM', key_deadlines, ended[i])
  local t = read(ended[i])
  if t and not is(t, 'finished') then
    cancel_below(t)
    leave(t)
    fail(t, '{"name":"DeadlineExceeded","message":"the deadline has passed"}')
  end
end
local old = due(wire('finished'))
for i = 1, #old do
  call('UNLINK', wire(old[i]), wire('ichunks:' .. old[i]))
  call('ZREM', wire('finished'), old[i])
end
call('ZADD', key_delayed, whole(now + arg_pause), source)
if came == 0 and news.unseen(key_source, now, wire(arg_pool .. ':startable'), call('HLEN', key_iterations) + due_commands()) then came = 1 end
keep_source(0, came, came == 0)
local out = {OK, due_commands()}
for pool in pairs(told) do out[#out + 1] = pool end
return out
