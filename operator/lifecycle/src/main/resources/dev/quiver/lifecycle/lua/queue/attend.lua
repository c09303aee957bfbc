-- Renews the locks of all that a session holds under a prefix. Guarantee: only locks that its claims put; repeatable.
-- FOR worker
-- FLAGS allow-oom
-- KEYS sessions: live sessions
-- KEYS source: hash of the source (prefix)
-- ARGV session: id of the session
-- ARGV lease: 0..100000000000000; ms of a lock
-- ARGV renew: 0..100000000000000; ms before its end from which a lock is renewed
-- ARGV rows...: 0..1024; ids of running tasks
-- RETURNS {OK, stopped...: ids of running tasks that lost their lock}
-- USES worker/claimed queue/wire queue/claims common/now common/decimal
jobs.open(c)
local lost, locked = {}, {}
if call('ZSCORE', key_sessions, arg_session) and call('HGET', key_source, 'prefix') == arg_prefix then
  holds.each(key_held, function(id, number)
    local u = job_locks.unit(c, id)
    local deadline = u and job_locks.locked_until(u, arg_session, number)
    if deadline then
      locked[id] = true
      if tonumber(deadline) - now < tonumber(arg_renew) then job_locks.lock(u, arg_session, number, decimal.of(now + arg_lease)) end
    end
  end)
end
for i = arg_rows, #ARGV do
  if not locked[ARGV[i]] then lost[#lost + 1] = ARGV[i] end
end
return {OK, unpack(lost)}
