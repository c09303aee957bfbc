-- Reads what is known of a pool's resources. Guarantee: changes nothing; those first for which most tasks wait, then others
-- that are missing.
-- FOR operator, client
-- FLAGS no-writes
-- ARGV most: 0..1024; resources that are told
-- RETURNS {OK, now: in ms, blocked: tasks that wait for a resource, known: names that are declared or closed, resources...(name, state, since, waiting,
--   first, by, declared, permits, used, seconds, holders)}. State: Available or Missing. Since: ms, from when on it is missing, or 0. Waiting: tasks. First: ms,
--   from when on any task waits, or 0. By: an owner that closed it, or nothing. Declared: 1 or 0.
--   Permits: how many it has, or nothing. Used: permits that are held, or were used in the present window. Seconds: of such a
--   window, or nothing. Holders: ids of tasks, at most 4, joined by a blank
-- USES common/now common/decimal task/queue task/gates task/permits
local _, q = queue.open(KEYS, key_pools)
if not q then return redis.error_reply('ERR task/resources: no pool is declared') end
local MOST_LOOKED, MOST_HELD = 2048, 64
local names, all, seen = gates.names(q, MOST_LOOKED), {}, {}
for i = 1, #names do seen[names[i]] = true end
for _, name in ipairs(permits.names(q, MOST_HELD)) do
  if not seen[name] then names[#names + 1] = name end
end
for i = 1, #names do
  local of = gates.state(q, names[i])
  if of.missing or not gates.is_of_complex(of.name) then -- turns of complex tasks are no news
    of.permits = permits.state(q, names[i])
    all[#all + 1] = of
  end
end
table.sort(all, function(a, b)
  if a.waiting ~= b.waiting then return a.waiting > b.waiting end
  if a.missing ~= b.missing then return a.missing end
  if a.permits.held ~= b.permits.held then return a.permits.held > b.permits.held end
  return a.name < b.name
end)
local blocked = call('HGET', q.hash, 'delayed') or '0'
local out = {OK, now, tonumber(string.match(#blocked <= 15 and blocked or '', '^%d+$') or '0'), gates.count_names(q)}
for i = 1, math.min(#all, tonumber(arg_most)) do
  local of = all[i]
  for _, value in ipairs({of.name, of.missing and 'Missing' or 'Available', decimal.of(of.since), decimal.of(of.waiting),
    decimal.of(of.first), of.by, of.declared and 1 or 0, of.permits.most, of.permits.used, of.permits.seconds,
    of.permits.holders}) do
    out[#out + 1] = value
  end
end
return out
