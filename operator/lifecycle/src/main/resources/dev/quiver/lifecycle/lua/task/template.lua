-- Brings nodes of the template from which a schedule makes its runs. Guarantee: idempotent; nothing is made of it before
-- the schedule names this version.
-- FLAGS
-- KEYS template: hash, <version>.<ordinal> to record and document of a node
-- KEYS meta: hash of the keyspace (term)
-- ARGV term: leader's term
-- ARGV nodes...: field, record and document
-- RETURNS {OK} | {STALE_LEADER, term}
-- INCLUDE common/leader
local rows = {}
for i = arg_nodes, #ARGV do rows[#rows + 1] = ARGV[i] end
call('HSET', key_template, unpack(rows))
return {OK}
