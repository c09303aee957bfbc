-- The counters of recorded trees, which are the numbers of their ends. A tree is recorded from its beginning until its end
-- was written, and counts nothing else. Uses record.
-- KEYS records: tree to the time at which its record began; `<tree> <letter>` to a counter: s tasks that succeeded, f
--   failed, t trials, l losses, m ms that they ran, x trials without a row for want of room
local tally = {}
local tallied = {sums = {}, trees = {}}
function tally.add(tree, letter, by)
  if by == 0 then return end
  local field = tree .. ' ' .. letter
  if not tallied.sums[field] then
    tallied.sums[field] = 0
    tallied.trees[#tallied.trees + 1] = {tree, field}
  end
  tallied.sums[field] = tallied.sums[field] + by
end
function tally.write()
  local known = {}
  for i = 1, #tallied.trees do
    local tree, field = tallied.trees[i][1], tallied.trees[i][2]
    if known[tree] == nil then known[tree] = call('HEXISTS', key_records, tree) == 1 end
    if known[tree] then call('HINCRBY', key_records, field, string.format('%.0f', tallied.sums[field])) end
  end
  tallied.sums, tallied.trees = {}, {}
end
