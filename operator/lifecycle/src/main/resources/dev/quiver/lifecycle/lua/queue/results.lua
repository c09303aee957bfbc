-- Reads results of a job's chunks in the order of their numbers, a page at a time. Guarantee: reads only; chunks that are gone,
-- or never ended, are left out.
-- FLAGS no-writes
-- ARGV job: its key
-- ARGV from: least number of the page
-- ARGV most: bytes after which a page ends
-- RETURNS {OK, least number of the next page, -1 after the last one, results as JSON...}
-- INCLUDE queue/wire
local done, numbers = ask({}, 'SMEMBERS', chunks(arg_job, 'done')), {}
for i = 1, #done do
  local number = tonumber(string.match(string.sub(done[i], #arg_job + 1), '^:(%d+)$'))
  if number and number >= tonumber(arg_from) then numbers[#numbers + 1] = number end
end
table.sort(numbers)
local out, bytes = {OK, -1}, 0
for i = 1, #numbers do
  if bytes >= tonumber(arg_most) then
    out[2] = numbers[i]
    break
  end
  local result = ask(false, 'HGET', arg_job .. ':' .. whole(numbers[i]), 'result') or 'null'
  bytes = bytes + #result + 1
  out[#out + 1] = result
end
return out
