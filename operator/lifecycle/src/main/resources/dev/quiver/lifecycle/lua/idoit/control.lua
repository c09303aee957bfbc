-- Cancels a tree of the wire, or changes the time that it may take. Guarantee: idempotent; a tree that is over stays as it is,
-- and only a root is cancelled, as idoit has it.
-- FOR operator
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (term)
-- KEYS deadlines: tasks of Quiver to the ms at which they end
-- ARGV term: empty or 0..9007199254740992; leader's term; empty of others
-- ARGV what: cancel, or deadline
-- ARGV root: id of the root
-- ARGV deadline: empty or 0..100000000000000; ms from its start; empty for none
-- RETURNS {OK, changed: 1 when this call did it} | {GONE} | {STALE_LEADER, term}
-- USES common/leader idoit/wire common/now common/decimal
local stale = arg_term ~= '' and leader.refusal(c)
if stale then return stale end
idoit.open(c)
local t = idoit.read(c, arg_root)
if not t then return {GONE} end
if idoit.is_in(t, 'finished') then return {OK, 0} end
if arg_what == 'cancel' then
  if t.parent then return {OK, 0} end
  idoit.cancel_below(c, t)
  idoit.leave(c, t)
  idoit.over(c, t, 'error', idoit.CANCELED)
elseif arg_deadline == '' then
  return {OK, call('ZREM', key_deadlines, arg_root)}
else
  local options = idoit.decoded(t.quiver)
  local began = type(options) == 'table' and tonumber(options.began) or now
  call('ZADD', key_deadlines, decimal.of(began + tonumber(arg_deadline)), arg_root)
end
return {OK, 1}
