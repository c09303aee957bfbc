-- The result of a task of the wire. Guarantee: reads only, and no more than is wanted.
-- FOR operator
-- FLAGS no-writes
-- ARGV prefix: that is granted; the key of a task is named by its id
-- ARGV id: of the task
-- ARGV most: 0..16777216; bytes that are wanted
-- RETURNS {OK, bytes, text: the result when it is no longer than wanted} | {GONE} | {NOTHING} when it has none
local key = arg_prefix .. arg_id
if call('HSTRLEN', key, 'name') == 0 then return {GONE} end
local bytes = call('HSTRLEN', key, 'result')
if bytes == 0 then return {NOTHING} end
return {OK, bytes, bytes <= tonumber(arg_most) and call('HGET', key, 'result') or ''}
