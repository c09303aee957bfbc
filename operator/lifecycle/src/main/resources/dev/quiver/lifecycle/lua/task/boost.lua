-- Sets the boosts of one owner in a pool, in place of those that it had. Guarantee: idempotent; the sums of tags are whole at
-- once, and classes follow, a page in this call and the others by commands. The owner `spec` is the operator's.
-- FOR operator, client
-- FLAGS
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV owner: its name, 1 to 128 printable characters without blanks
-- ARGV lease: empty or 1..100000000000000; ms after which the boosts end unless they are said again; empty for none
-- ARGV boosts...: 0..512; tag and boost, -10000000 to 10000000
-- RETURNS {OK, changed: tags, commands...: that may run now} | {TOO_LARGE, words} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/queue task/commands task/roots task/flow task/changes task/classes task/boosts
flow.open(c, KEYS, key_pools)
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
local q = c.own_queue
if not q then return redis.error_reply('ERR task/boost: no pool is declared') end
local function is_name(text) return #text >= 1 and #text <= 128 and not string.find(text, '[^!-~]') end
if not is_name(arg_owner) then return redis.error_reply('ERR task/boost: the owner has a name that makes no sense') end
if arg_owner == 'spec' and arg_term == '' then return redis.error_reply('ERR task/boost: the owner spec is the operator\'s') end
if (#ARGV - arg_boosts + 1) % 2 ~= 0 then return redis.error_reply('ERR task/boost: a boost is missing') end
local wanted, count = {}, 0
for i = arg_boosts, #ARGV, 2 do
  local value = #ARGV[i + 1] <= 9 and string.find(ARGV[i + 1], '^%-?%d+$') and tonumber(ARGV[i + 1])
  if not is_name(ARGV[i]) or not value or math.abs(value) > boosts.MOST_WORTH then
    return redis.error_reply('ERR task/boost: tag ' .. string.sub(ARGV[i], 1, 64) .. ' or its boost makes no sense')
  end
  if value ~= 0 then wanted[ARGV[i]], count = value, count + 1 end
end
-- The pool's own boosts are few, and no program may keep them out.
if arg_term == '' and count > 0 and boosts.count(q) + count > boosts.MOST_OF_POOL then
  local others = boosts.count(q)
  for _ in pairs(boosts.of(q, arg_owner)) do others = others - 1 end
  if others + count > boosts.MOST_OF_POOL then
    return {TOO_LARGE, 'pool ' .. q.name .. ' has ' .. others .. ' boosts of other owners, and ' .. boosts.MOST_OF_POOL .. ' at most'}
  end
end
local changed = boosts.replace(c, q, arg_owner, wanted)
boosts.lease(c, q, arg_owner, count > 0 and arg_lease ~= '' and now + arg_lease or nil)
local out, soon = {OK, changed}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
