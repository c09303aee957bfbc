-- Creates a tree on the wire, in pieces; the last one brings the root, and the tree begins. Guarantee: idempotent for its id,
-- while it is there and under a tombstone; a tree that is cut off before its root never begins.
-- FOR operator
-- FLAGS
-- KEYS meta: hash of the keyspace (term)
-- KEYS tombstone: left by drop
-- KEYS deadlines: tasks of Quiver to the ms at which they end
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV root: id of the root
-- ARGV delay: 0..100000000000000; ms until it begins
-- ARGV deadline: empty or 0..100000000000000; ms that it may take then; empty for none
-- ARGV rows...: 0..4096; id, its fields as a JSON array of names and texts
-- RETURNS {OK, begun: 1 when this call did it} | {BURIED} | {STALE_LEADER, term}
-- USES common/leader idoit/wire idoit/source common/now common/decimal
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
idoit.open(c)
if call('EXISTS', key_tombstone) == 1 then return {BURIED} end
if idoit.read(c, arg_root) then return {OK, 0} end
for i = arg_rows, #ARGV, 2 do
  call('HSET', idoit.key(c, ARGV[i]), unpack(cjson.decode(ARGV[i + 1])))
  call('SADD', idoit.key(c, 'waiting'), ARGV[i])
end
local root = idoit.read(c, arg_root)
if not root then return {OK, 0} end
local at = now + tonumber(arg_delay)
if arg_deadline ~= '' then call('ZADD', key_deadlines, decimal.of(at + tonumber(arg_deadline)), arg_root) end
idoit.tell(c, root, 'activate', nil, at)
idoit_source.keep(c, 0, 1) -- where the root's pool is another program's there is none
return {OK, 1}
