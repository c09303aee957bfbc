-- Reads a schedule and its runs, of one moment. Guarantee: changes nothing; what is too large is refused, or left out,
-- before it is copied.
-- FOR operator
-- FLAGS no-writes
-- KEYS schedule: hash of a schedule
-- KEYS runs: number of a run by the time at which it was due
-- KEYS roots: tree to facts of the whole
-- KEYS nodes: id to record
-- KEYS results: id to result or error
-- ARGV uid: of the schedule
-- ARGV most: 0..1000; runs at most
-- RETURNS {OK, now, next_at, last_at, succeeded_at, missed, template, runs...(number, due, facts, record, end, error)}
--   | {GONE} | {TOO_LARGE, words}. Newest first; due: when it was; end: record of the node at its end
-- USES common/now common/bounds
local BYTES, ERROR_BYTES = 1024, 512
local names = {'next_at', 'last_at', 'succeeded_at', 'missed', 'template'}
local words = bounds.fields(key_schedule, unpack(names))
  or bounds.members(key_runs, call('ZCARD', key_runs), 0, 65536)
if words then return {TOO_LARGE, words} end
local v = call('HMGET', key_schedule, unpack(names))
if not v[1] then return {GONE} end
local out = {OK, now, v[1], v[2] or '', v[3] or '', v[4] or '', v[5] or ''}
local function read(key, field, most) -- '' for a value that is too large, too
  return call('HSTRLEN', key, field) <= most and call('HGET', key, field) or ''
end
local runs = arg_most ~= '0' and call('ZRANGE', key_runs, 0, tonumber(arg_most) - 1, 'REV', 'WITHSCORES') or {}
for i = 1, #runs, 2 do
  local tree = arg_uid .. '-' .. runs[i]
  local facts, record = read(key_roots, tree, BYTES), read(key_nodes, tree, BYTES)
  if facts ~= '' and record ~= '' then
    local finally = string.match(facts, '^[^\t]*\t[^\t]*\t%d*\t(%d+)\t')
    for _, word in ipairs({runs[i], runs[i + 1], facts, record,
      finally and read(key_nodes, tree .. '.' .. finally, BYTES) or '', read(key_results, tree, ERROR_BYTES)}) do
      out[#out + 1] = word
    end
  end
end
return out
