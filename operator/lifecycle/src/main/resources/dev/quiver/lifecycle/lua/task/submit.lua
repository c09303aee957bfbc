-- Takes a batch of a program: trees, or pieces of large ones. Guarantee: batches of a producer count once and in their
-- order, also when one comes again after its trees went; a tree that is known stays as it is. One that is cut off before
-- its last piece never begins, and is forgotten.
-- FOR client
-- FLAGS
-- KEYS producer: number of the producer's last batch
-- ARGV batch: 1..9007199254740992; its number, from 1
-- ARGV remembered: 1..100000000000000; ms for which the number is kept, and a tree that has not begun
-- ARGV trees...: 0..3000; of each its id (and behind a blank a name, see task/submission), the facts of
--   the whole (empty in all pieces but the last), ms until it begins, the highest
--   ordinal that its creation brings and the number of nodes, then of each node id, record and what it executes
-- RETURNS {OK, counted: 1 when this call did it, commands...: that may run now} | {GAP, last: number of the last batch}
-- USES common/now task/nodes task/roots task/flow task/changes task/submission
flow.open(c, KEYS, key_pools)
local last = tonumber(call('GET', key_producer) or '0') or 0
if tonumber(arg_batch) <= last then return {OK, 0} end
if tonumber(arg_batch) > last + 1 then return {GAP, last} end
local trees, words = submission.read(c, ARGV, arg_trees)
if not trees then return redis.error_reply('ERR task/submit: ' .. words) end
submission.create(c, trees, arg_remembered)
call('SET', key_producer, arg_batch, 'PX', arg_remembered)
local out, soon = {OK, 1}, changes.write(c, true)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
