-- Finds which of some trees are over. Guarantee: changes nothing, and copies no more than a few bytes of each.
-- FOR operator
-- FLAGS no-writes
-- KEYS roots: tree to facts of the whole
-- ARGV trees...: 0..2000; their ids
-- RETURNS {OK, ended...: 1 when it is over or gone} in the order of the trees
local BYTES = 1024
local out = {OK}
for i = arg_trees, #ARGV do
  local size = call('HSTRLEN', key_roots, ARGV[i])
  local facts = size <= BYTES and call('HGET', key_roots, ARGV[i]) or ''
  local ended = string.match(facts, '^' .. string.rep('[^\t]*\t', 8) .. '(%d*)\t')
  out[#out + 1] = (size == 0 or ended and ended ~= '') and 1 or 0
end
return out
