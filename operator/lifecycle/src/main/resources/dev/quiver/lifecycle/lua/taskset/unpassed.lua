-- Gives the tasks of an ended TaskSet that did not pass. Guarantee: those that wait in its queue, and those that its order
-- never gave out, are noted first, some at a call; idempotent; what is too large is refused before it is copied.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS source: hash of the TaskSet
-- KEYS task_queue: ids that go before the cursor
-- KEYS source_delayed: ids that wait for their retry time
-- KEYS source_sessions: sessions that work at the source
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV most: 1..1000; tasks to note at a call
-- RETURNS {OK, cursor: tasks from this number on were never given out, given: others that did not pass, workers: sessions
--   that may hold some of those, words...(at, bits)} | {AGAIN} | {NOTHING} while it goes on | {GONE} |
--   {STALE_LEADER, term} | {TOO_LARGE, words}
-- USES common/leader common/bounds ordinals/unpassed ordinals/sequence
local ENTRIES, BYTES = 21846, 8388608
local stale = leader.refusal(c)
if stale then return stale end
local words = bounds.fields(key_source, 'status', 'source_closed', 'count', 'cursor', 'left', 'failed_count', 'ordered', 'tail')
if words then return {TOO_LARGE, words} end
-- FIELDS source: status, source_closed
--   numbers: count, cursor, left, failed_count, ordered, tail
if not source.status then return {GONE} end
if source.status == 'running' or source.status == 'suspended' then return {NOTHING} end
if not (source.count and source.cursor and source.left and source.failed_count) then
  return redis.error_reply('ERR ' .. key_source .. ' lacks a number')
end
local queued = call('LPOP', key_task_queue, arg_most) or {}
local delayed = call('ZPOPMIN', key_source_delayed, arg_most)
for i = 1, #delayed, 2 do queued[#queued + 1] = delayed[i] end
if #queued > 0 then
  unpassed.note(c, source, queued)
  return {AGAIN}
end
source.tail = source.tail or 0
if source.source_closed ~= '1' then source.ordered = nil end -- then it gave nothing out
local never = source.ordered and sequence.spend(c, source, tonumber(arg_most))
if never then
  unpassed.note(c, source, never)
  return {AGAIN}
end
local given_out = math.max(source.cursor + source.tail, source.ordered or 0) -- an order that can not be read tells nothing
local large = bounds.hash(key_unpassed, ENTRIES, BYTES)
if large then return {TOO_LARGE, large} end
local given = math.max(0, source.left - (source.count - given_out)) + source.failed_count
local out, noted = {OK, given_out, given, call('ZCARD', key_source_sessions)}, call('HGETALL', key_unpassed)
for i = 1, #noted do out[i + 4] = noted[i] end
return out
