-- Lists trees whose ids have a form, a page at a time. Guarantee: changes nothing; trees that are there from the first
-- page to the last are listed.
-- FOR operator
-- FLAGS no-writes
-- KEYS roots: tree to facts of the whole
-- ARGV cursor: 0 at first, then that of the page before
-- ARGV form: pattern of the ids
-- ARGV count: 1..10000; trees that are looked at, about
-- RETURNS {OK, cursor, ids...}
local page = call('HSCAN', key_roots, arg_cursor, 'MATCH', arg_form, 'COUNT', arg_count)
local out = {OK, page[1]}
for i = 1, #page[2], 2 do out[#out + 1] = page[2][i] end
return out
