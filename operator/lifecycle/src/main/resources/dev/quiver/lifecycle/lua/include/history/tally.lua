-- The counters of recorded trees, which are the numbers of their ends. A tree is recorded from its beginning until its end
-- was written, and counts nothing else.
-- KEYS records: tree to the time at which its record began; `<tree> <letter>` to a counter: s tasks that succeeded, f
--   failed, t trials, l losses, m ms that they ran, x trials without a row for want of room
-- MODULE tally
function tally.add(c, tree, letter, by)
  if by == 0 then return end
  c.tallied = c.tallied or {sums = {}, trees = {}}
  local field = tree .. ' ' .. letter
  if not c.tallied.sums[field] then
    c.tallied.sums[field] = 0
    c.tallied.trees[#c.tallied.trees + 1] = {tree, field}
  end
  c.tallied.sums[field] = c.tallied.sums[field] + by
end
function tally.write(c)
  if not c.tallied then return end
  local known = {}
  for i = 1, #c.tallied.trees do
    local tree, field = c.tallied.trees[i][1], c.tallied.trees[i][2]
    if known[tree] == nil then known[tree] = call('HEXISTS', c.key_records, tree) == 1 end
    if known[tree] then call('HINCRBY', c.key_records, field, string.format('%.0f', c.tallied.sums[field])) end
  end
  c.tallied = nil
end
