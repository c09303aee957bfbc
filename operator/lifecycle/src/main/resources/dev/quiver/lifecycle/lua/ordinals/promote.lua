-- Lets tasks of one TaskSet be claimed again whose retry time has come. Guarantee: each once, at most `most` a call;
-- idempotent; anybody may call it.
-- FLAGS allow-oom
-- KEYS delayed: sets with delayed tasks
-- KEYS set: hash of the TaskSet
-- KEYS task_queue: ids that go before the cursor
-- KEYS set_delayed: ids that wait for their retry time
-- KEYS set_sessions: sessions that work at it
-- KEYS ready: its pool's order
-- KEYS wake: its pool's token
-- ARGV uid: uid of the TaskSet
-- ARGV most: tasks at most
-- RETURNS {OK, promoted, 1 when more are due} | {GONE} | {TOO_LARGE, words}
-- INCLUDE common/now
-- INCLUDE common/bounds
-- INCLUDE ordinals/promote
-- INCLUDE worker/turn
-- INCLUDE ordinals/ready
local BESIDE = 16777216
local h = call('HMGET', key_set, 'status', 'left', 'running', 'delayed', 'max_workers', 'ready')
local status = h[1]
if not status then
  call('ZREM', key_delayed, arg_uid)
  return {GONE}
end
local most = tonumber(arg_most)
local words = large_members(key_set_delayed, call('ZCARD', key_set_delayed), most, BESIDE)
if words then return {TOO_LARGE, words} end
local promoted = promote(most)
if promoted == 0 then return {OK, 0, 0} end
local delayed = call('HINCRBY', key_set, 'delayed', -promoted)
update_ready(status, tonumber(h[2]) - tonumber(h[3]) - delayed, tonumber(h[5]), h[6] == '1')
return {OK, promoted, promoted == most and 1 or 0}
