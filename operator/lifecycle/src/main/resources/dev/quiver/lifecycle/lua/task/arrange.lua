-- Says how a pool orders its Tasks, beside boosts: by their age, and in turns of keys of fairness. Guarantee: idempotent; what
-- waits keeps its place, what comes from now on stands by the new rule.
-- FOR operator
-- FLAGS
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV ageing: 0..1000; what a waiting task gains in a minute
-- ARGV fair: 0..1; whether keys of fairness take turns
-- ARGV weights...: 0..512; key of fairness and weight, 1 to 1000
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader common/now common/decimal task/queue task/aging
local stale = leader.refusal(c)
if stale then return stale end
local _, q = queue.open(KEYS, key_pools)
if not q then return redis.error_reply('ERR task/arrange: no pool is declared') end
if (#ARGV - arg_weights + 1) % 2 ~= 0 then return redis.error_reply('ERR task/arrange: a weight is missing') end
local ageing, fair, seq = unpack(call('HMGET', q.hash, 'ageing', 'fair', 'seq'))
-- What was aged by the rule before stands in front of what is aged from now on.
if (string.match(ageing or '', '^(%d+) ') or '0') ~= arg_ageing then
  call('HSET', q.hash, 'ageing', arg_ageing .. ' ' .. decimal.of(now) .. ' ' .. decimal.of(aging.by(ageing, now) or 0))
end
local weights = {}
for i = arg_weights, #ARGV, 2 do
  local key, weight = ARGV[i], #ARGV[i + 1] <= 4 and string.find(ARGV[i + 1], '^%d+$') and tonumber(ARGV[i + 1]) or 0
  if key == '' or #key > 128 or string.find(key, '[^!-~]') or weight < 1 or weight > 1000 then
    return redis.error_reply('ERR task/arrange: fairness key ' .. string.sub(key, 1, 64) .. ' or its weight makes no sense')
  end
  weights[#weights + 1] = {key, weight}
end
-- The keys that have a weight stand in one field, so that those of before are found.
local gone = {}
for key in string.gmatch(call('HGET', q.classes, 'weights') or '', '[^\30]+') do
  if #gone < 1000 then gone[#gone + 1] = 's' .. key end
end
if #gone > 0 then call('HDEL', q.classes, unpack(gone)) end
local names = {}
for i = 1, #weights do
  call('HSET', q.classes, 's' .. weights[i][1], weights[i][2])
  names[i] = weights[i][1]
end
if #names > 0 then call('HSET', q.classes, 'weights', table.concat(names, '\30')) elseif #gone > 0 then call('HDEL', q.classes, 'weights') end
seq = tonumber(seq or '0') or 0
if arg_fair == '1' and not fair then
  call('HSET', q.hash, 'fair', decimal.of(seq))
elseif arg_fair == '0' and fair then
  local last = call('ZRANGE', q.turns, -1, -1, 'WITHSCORES')[2]
  seq = math.max(seq, math.ceil(tonumber(last or '0') or 0))
  call('HSET', q.hash, 'seq', decimal.of(math.min(seq, 9e14)))
  call('HDEL', q.hash, 'fair')
  call('UNLINK', q.turns)
end
if arg_fair == '1' or call('HEXISTS', q.hash, 'ageing') == 1 then call('HSET', q.hash, 'ordering', 1) end
return {OK}
