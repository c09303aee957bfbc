-- The watchdogs of the wire: locks and commands that lapsed, retries that are due, tasks that are to be forgotten, deadlines.
-- Guarantee: whoever comes first does each; a score that has changed since means another one was quicker.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS delayed: sources with something that is due
-- KEYS deadlines: tasks of Quiver to the ms at which they end
-- ARGV pause: 0..100000000000000; ms to the next look
-- RETURNS {OK, due: commands of the pool, pools...: that got commands} | {GONE} when nothing is granted any more
-- USES idoit/wire idoit/source common/now common/decimal worker/unseen
idoit.open(c)
local source = 'idoit:' .. arg_pool
if call('HGET', key_source, 'prefix') ~= arg_prefix then
  call('ZREM', key_delayed, source)
  return {GONE}
end
local PAGE = 256
local function due(key) return call('ZRANGEBYSCORE', key, '-inf', decimal.of(now), 'LIMIT', 0, PAGE) end
local came = 0
for _, set in ipairs({'locked', 'restart'}) do
  local ids = due(idoit.key(c, set))
  for i = 1, #ids do
    local t = idoit.read(c, ids[i])
    call('ZREM', idoit.key(c, set), ids[i])
    if t then
      idoit.startable(c, t)
      if idoit.pool_of(t) == arg_pool then came = came + 1 end
    end
  end
end
local locked, commands = idoit.key(c, arg_pool .. ':commands_locked'), idoit.key(c, arg_pool .. ':commands')
local lapsed = due(locked)
for i = 1, #lapsed do
  call('ZREM', locked, lapsed[i])
  call('ZADD', commands, decimal.of(now), lapsed[i])
end
local ended = due(key_deadlines)
for i = 1, #ended do
  if c.tasks_left <= 0 then break end -- the next look ends the others
  call('ZREM', key_deadlines, ended[i])
  local t = idoit.read(c, ended[i])
  if t and not idoit.is_in(t, 'finished') then
    idoit.cancel_below(c, t)
    idoit.leave(c, t)
    idoit.fail(c, t, '{"name":"DeadlineExceeded","message":"the deadline has passed"}')
  end
end
local old = due(idoit.key(c, 'finished'))
for i = 1, #old do
  call('UNLINK', idoit.key(c, old[i]), idoit.key(c, 'ichunks:' .. old[i]))
  call('ZREM', idoit.key(c, 'finished'), old[i])
end
call('ZADD', key_delayed, decimal.of(now + arg_pause), source)
if came == 0 and news.unseen(key_source, now, idoit.key(c, arg_pool .. ':startable'), call('HLEN', key_iterations) + idoit_source.due_commands(c)) then came = 1 end
idoit_source.keep(c, 0, came, came == 0)
local out = {OK, idoit_source.due_commands(c)}
for pool in pairs(c.told) do out[#out + 1] = pool end
return out
