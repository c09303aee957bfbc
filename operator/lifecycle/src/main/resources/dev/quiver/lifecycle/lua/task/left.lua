-- Reads what plans of a tree left that would undo it. Guarantee: changes nothing.
-- FOR operator
-- FLAGS no-writes
-- KEYS body: id to what the node executes
-- ARGV tree: id of the tree
-- RETURNS {OK, left: lines} | {TOO_LARGE, words}. A line is what one plan left: at, node, pool, share and tasks as JSON. Above
--   them, once a resource has taken it, stands = with its uid, its name, and 1 where the tree was cancelled for that
-- USES task/nodes
local field = arg_tree .. nodes.UNDO
if call('HSTRLEN', key_body, field) > nodes.MOST_LEFT then
  return {TOO_LARGE, 'what would undo tree ' .. arg_tree .. ' has more than ' .. nodes.MOST_UNDO .. ' bytes'}
end
return {OK, call('HGET', key_body, field) or ''}
