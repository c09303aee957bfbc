-- Says which resources a pool has, and which names stand for others, in place of what was said before. Guarantee: idempotent; a
-- resource keeps the state that others gave it as long as the same is said of it; what waits follows, what is queued already
-- keeps the names that it came with.
-- FOR operator
-- FLAGS
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV resources: 0..64; how many there are
-- ARGV rows...: 0..288; of each resource its name or pattern, and o for one that is there at first or x, with the number of
--   permits where it has any, with / and seconds where that is how many may start in such a time, and with c where what runs
--   is stopped when it goes, and with p where the owner `probe` closes it; then of each alias its name or pattern, and the
--   names in its place, joined by a blank
-- RETURNS {OK, changed: names, commands...: that may run now} | {STALE_LEADER, term}
-- USES common/leader common/now task/nodes task/queue task/commands task/roots task/flow task/changes task/gates task/resources
flow.open(c, KEYS, key_pools)
local stale = leader.refusal(c)
if stale then return stale end
local q = c.own_queue
if not q then return redis.error_reply('ERR task/declare: no pool is declared') end
local aliases_at, said, aliases, probed = arg_rows + 2 * tonumber(arg_resources), {}, {}, {}
if (#ARGV - arg_rows + 1) % 2 ~= 0 or aliases_at > #ARGV + 1 then return redis.error_reply('ERR task/declare: rows are missing') end
local function is_state(text)
  text = string.gsub(text, 'c$', '')
  local most, seconds = string.match(text, '^[ox](%d?%d?%d?%d?%d?)/?(%d*)$')
  most, seconds = tonumber(most or ''), most ~= '' and tonumber(seconds or '')
  if text == 'o' or text == 'x' then return true end
  if not most or most < 1 or most > gates.MOST_PERMITS then return false end
  return not string.find(text, '/', 1, true) or seconds and seconds >= 1 and seconds <= gates.LONGEST_SECONDS
end
for i = arg_rows, #ARGV, 2 do
  local name, text = ARGV[i], i >= aliases_at and ARGV[i + 1] or string.gsub(ARGV[i + 1], 'p$', '')
  if not gates.is_name(name) then return redis.error_reply('ERR task/declare: resource ' .. string.sub(name, 1, 64) .. ' has no name') end
  if i >= aliases_at then
    if #text > 1100 or string.find(text, '[^ -~]') then
      return redis.error_reply('ERR task/declare: alias ' .. name .. ' stands for what makes no sense')
    end
    aliases[name] = string.gsub(text, ' ', '\30')
  elseif not is_state(text) then
    return redis.error_reply('ERR task/declare: resource ' .. name .. ' has a state that makes no sense')
  else
    said[name], probed[name] = text, text ~= ARGV[i + 1]
  end
end
local out = {OK, resources.declare(c, q, said, aliases, probed)}
local soon = changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
