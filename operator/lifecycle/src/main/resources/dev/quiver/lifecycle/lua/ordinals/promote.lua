-- Lets tasks of one source be claimed again whose retry time has come. Guarantee: each once, at most `most` a call;
-- idempotent; anybody may call it.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS delayed: sources with delayed tasks
-- KEYS source: hash of the source
-- KEYS task_queue: ids that go before the cursor
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS source_sessions: sessions that work at the source
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- ARGV source: its name in the pool's order
-- ARGV most: 0..1024; tasks at most
-- RETURNS {OK, promoted, more: 1 when more are due} | {GONE} | {TOO_LARGE, words}
-- USES ordinals/delays ordinals/readiness common/now common/bounds
local BESIDE = 16777216
-- FIELDS source: status, ready numbers: left, running, max_workers, max_parallel, offered
if not source.status then
  call('ZREM', key_delayed, arg_source)
  return {GONE}
end
if not (source.left and source.running and source.max_workers) then return redis.error_reply('ERR ' .. key_source .. ' lacks a number') end
local most = tonumber(arg_most)
local words = bounds.members(key_source_delayed, call('ZCARD', key_source_delayed), most, BESIDE)
if words then return {TOO_LARGE, words} end
local promoted = delays.promote(c, most)
if promoted == 0 then return {OK, 0, 0} end
source.delayed = call('HINCRBY', key_source, 'delayed', -promoted)
readiness.update(c, source.status, readiness.claimable(source), source.max_workers, source.ready == '1', false, source.offered)
return {OK, promoted, promoted == most and 1 or 0}
