-- Gives a page of the list that the program of a source wrote. Guarantee: reads only; what is too large is refused before it
-- is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS pages: hash: number of a page to its text
-- ARGV page: 0..8192; number of the page
-- RETURNS {OK, text} | {NOTHING} when there is no such page | {TOO_LARGE, words}
local MOST_BYTES = 327680
local bytes = call('HSTRLEN', key_pages, arg_page)
if bytes > MOST_BYTES then
  return {TOO_LARGE, key_pages .. ' has a page of ' .. bytes .. ' bytes, at most ' .. MOST_BYTES .. ' are read'}
end
if bytes == 0 then return {NOTHING} end
return {OK, call('HGET', key_pages, arg_page)}
