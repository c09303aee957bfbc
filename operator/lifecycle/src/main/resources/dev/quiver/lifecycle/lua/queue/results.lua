-- Reads results of a job's chunks in the order of their numbers, a page at a time. Guarantee: reads only, and looks at so many
-- numbers a page, whatever the job's size; chunks that are gone, or never ended, are left out, as are numbers above a million.
-- FOR operator, worker
-- FLAGS no-writes
-- ARGV job: its key
-- ARGV from: 0..9007199254740992; 0 at first, then as the page before answered
-- ARGV most: 0..16777216; bytes after which a page ends
-- RETURNS {OK, next: where the next page begins or -1, results...: JSON}
-- USES queue/wire common/now common/decimal
jobs.open(c)
local NUMBERS, MOST_NUMBER, PLACES = 500, 1000000, 67108864
-- A place is the next number, and how many results the pages before it have: all are there once these are as many as have ended.
local place = math.max(0, math.floor(tonumber(arg_from) or 0))
local number, found = place % PLACES, math.floor(place / PLACES)
local done = jobs.chunks(arg_job, 'done')
local all, last = jobs.ask(0, 'SCARD', done), number + NUMBERS
local out, bytes = {OK, -1}, 0
while number < last and found < all and bytes < tonumber(arg_most) do
  local chunk = arg_job .. ':' .. decimal.of(number)
  if jobs.ask(0, 'SISMEMBER', done, chunk) == 1 then
    local result = jobs.ask(false, 'HGET', chunk, 'result') or 'null'
    found, bytes = found + 1, bytes + #result + 1
    out[#out + 1] = result
  end
  number = number + 1
end
if found < all and number < MOST_NUMBER then out[2] = found * PLACES + number end
return out
