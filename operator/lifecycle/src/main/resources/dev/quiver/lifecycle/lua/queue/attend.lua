-- Renews the locks of all that a session holds under a prefix. Guarantee: only locks that its claims put; repeatable.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS source: hash of the source (prefix)
-- ARGV session: id of the session
-- ARGV lease: 0..100000000000000; ms of a lock
-- ARGV renew: 0..100000000000000; ms before its end from which a lock is renewed
-- ARGV rows...: 0..1024; ids of running tasks
-- RETURNS {OK, ids of running tasks that lost their lock...}
-- USES queue/wire queue/claims common/now common/decimal
jobs.open(c)
if call('HLEN', key_held) > 65536 then return redis.error_reply('ERR ' .. key_held .. ' holds more than a session may') end
local held, lost, locked = call('HGETALL', key_held), {}, {}
if not call('ZSCORE', key_sessions, arg_session) or call('HGET', key_source, 'prefix') ~= arg_prefix then held = {} end
for i = 1, #held, 2 do
  local number = string.match(held[i + 1], '^(%d+)@')
  local u = number and job_locks.unit(c, held[i])
  local deadline = u and job_locks.locked_until(u, arg_session, number)
  if deadline then
    locked[held[i]] = true
    if tonumber(deadline) - now < tonumber(arg_renew) then job_locks.lock(u, arg_session, number, decimal.of(now + arg_lease)) end
  end
end
for i = arg_rows, #ARGV do
  if not locked[ARGV[i]] then lost[#lost + 1] = ARGV[i] end
end
return {OK, unpack(lost)}
