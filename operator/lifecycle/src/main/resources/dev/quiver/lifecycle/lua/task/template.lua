-- Brings nodes of the template from which a schedule makes its runs. Guarantee: idempotent; nothing is made of it before
-- the schedule names this version.
-- FOR operator
-- FLAGS
-- KEYS template: hash, <version>.<ordinal> to record and document of a node
-- KEYS meta: hash of the keyspace (term)
-- ARGV term: 0..9007199254740992; leader's term
-- ARGV nodes...: 0..3000; field, record and document
-- RETURNS {OK} | {STALE_LEADER, term}
-- USES common/leader
local stale = leader.refusal(c)
if stale then return stale end
local rows = {}
if (#ARGV - arg_nodes + 1) % 2 ~= 0 or #ARGV < arg_nodes then return redis.error_reply('ERR task/template: a node has no document') end
for i = arg_nodes, #ARGV do rows[#rows + 1] = ARGV[i] end
call('HSET', key_template, unpack(rows))
return {OK}
