-- Puts commands off that could not be run: each time for twice as long, within bounds. How often stands in the fraction of
-- the score, in sixteenths of a millisecond; no other command has a fraction. Guarantee: a command that is gone, or not due,
-- stays as it is; repeating it is harmless.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS commands: commands on trees
-- KEYS delayed: sources with delayed tasks
-- ARGV commands...: 0..1000; as read
-- RETURNS {OK, late: commands that were put off}
-- USES common/now
local FIRST_MS, LONGEST_MS, MOST_TIMES = 1000, 10000, 15
local late = 0
for i = arg_commands, #ARGV do
  local score = tonumber(call('ZSCORE', key_commands, ARGV[i]) or 'inf')
  if score <= now then
    local fraction = score > 0 and score - math.floor(score) or 0 -- below that no time is ours
    local times = math.min(fraction * 16 + 1, MOST_TIMES)
    local wait = math.min(FIRST_MS * 2 ^ (times - 1), LONGEST_MS)
    call('ZADD', key_commands, 'XX', string.format('%.4f', now + wait + times / 16), ARGV[i])
    late = late + 1
  end
end
local first = call('ZRANGE', key_commands, 0, 0, 'WITHSCORES')
if first[2] then call('ZADD', key_delayed, first[2], 'tasks:') else call('ZREM', key_delayed, 'tasks:') end
return {OK, late}
