-- Renews the locks of all that a session holds of a pool's tasks of the wire, and reports how far running ones are.
-- Guarantee: only locks that its claims put; repeatable.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS source: hash of the source (prefix)
-- ARGV session: id of the session
-- ARGV lease: 0..100000000000000; ms of a lock
-- ARGV renew: 0..100000000000000; ms before its end from which a lock is renewed
-- ARGV rows...: 0..2048; running tasks as (id, millionths that are done)
-- RETURNS {OK, stopped...: ids of running tasks that lost their lock}
-- USES worker/claimed idoit/wire idoit/claims common/now common/decimal
idoit.open(c)
local lost, renewed_tasks = {}, {}
local function renewed(t, number)
  if t.children_created then
    local command = idoit_locks.called_by(c, t, arg_session, number)
    if command then call('ZADD', idoit.key(c, idoit.pool_of(t) .. ':commands_locked'), decimal.of(now + arg_lease), command) end
    return command
  end
  local deadline = idoit_locks.locked_until(c, t, arg_session, number)
  if deadline and tonumber(deadline) - now < tonumber(arg_renew) then
    local later = decimal.of(now + arg_lease)
    call('ZADD', idoit.key(c, 'locked'), later, t.key)
    idoit.written(c, t, 'quiver_lock', idoit_locks.lock_of(arg_session, number, later))
  end
  return deadline
end
if call('ZSCORE', key_sessions, arg_session) and call('HGET', key_source, 'prefix') == arg_prefix then
  holds.each(key_held, function(id, number)
    local t = idoit.read(c, id)
    if t and renewed(t, number) then renewed_tasks[id] = t end
  end)
end
for i = arg_rows, #ARGV - 1, 2 do
  local t = renewed_tasks[ARGV[i]]
  if not t then
    lost[#lost + 1] = ARGV[i]
  elseif not t.children_created then
    local done, total = string.match(t.progress or '', '^%d+$'), string.match(t.total or '', '^%d+$')
    local more = done and total and #total < 15 -- a third is 333333
      and math.floor(total * math.min((tonumber(ARGV[i + 1]) or 0) + 1, 1000000) / 1000000) - done
    if more and more > 0 then
      idoit.add(c, t, 'progress', more)
      idoit.tell_parent(c, t, 'progress', decimal.of(more))
    end
  end
end
return {OK, unpack(lost)}
