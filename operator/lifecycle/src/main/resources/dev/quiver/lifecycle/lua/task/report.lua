-- Reads what people want to know of a tree, of one moment. Guarantee: changes nothing; what is too large is refused, or
-- left out, before it is copied.
-- FOR operator, history
-- FLAGS no-writes
-- KEYS nodes: id to record
-- KEYS body: id to what the node executes
-- KEYS results: id to result or error
-- KEYS roots: tree to facts of the whole
-- KEYS children: live children of iterators, <iterator>/<ordinal>
-- KEYS feeding: nodes whose chunks come, or wait for memory, by the time of the last try
-- ARGV tree: id of the tree
-- ARGV look: 0..10000; ordinals that are looked at
-- ARGV most: 0..1000; nodes that are shown beside the root
-- RETURNS {OK, now, facts, at_end: 1 when a node runs at the end, queued[](name, pool, function), feeding[]: nodes
--   whose chunks come or wait, nodes...(id, record, name, failed, failed_name, error)} | {GONE} | {TOO_LARGE, words}.
--   Names are JSON. Nodes: the root, the node at the end, each one shown; failed: the node with the error; error: behind
--   E why it failed, behind D why it is in doubt. What is queued: each function with its pool once, as far as it is seen
-- USES common/now common/bounds
local RECORD_BYTES, BODY_BYTES, ERROR_BYTES, CLIMBS, PAGE = 1024, 1048576, 8192, 64, 200
local MOST_WALKED, NEWEST, MOST_QUEUED = 300, 32, 32
local ERROR_OF_NODE = 33 -- !
local MOST_FEEDING, FEEDING_BYTES, MOST_FED = 4096, 65536, 128
local function read(key, field, most) -- '' for a value that is too large, too
  return call('HSTRLEN', key, field) <= most and call('HGET', key, field) or ''
end
local function id_of(ordinal) return ordinal == '0' and arg_tree or arg_tree .. '.' .. ordinal end
local function name_of(id, record) -- a copy has the name of its template
  local origin = string.match(record, '^' .. string.rep('[^\t]*\t', 11) .. '(%d+)\t')
  return string.match(read(key_body, origin and id_of(origin) or id, BODY_BYTES), '^{"name":("[^"]*")') or ''
end
local function state_of(record) return string.match(record, '^%a\t(%a)\t') end
local IN_DOUBT = '^L\t[wslr]\t[^\t]*\t[^\t]*\t[^\t]*#contingency\t'
local function is_in_doubt(record) return string.find(record, IN_DOUBT) ~= nil end
local function add(out, id, record)
  local at, text = id, ''
  if state_of(record) == 'x' then
    for _ = 1, CLIMBS do
      text = read(key_results, at, ERROR_BYTES)
      if string.byte(text) ~= ERROR_OF_NODE then break end
      at = id_of(string.sub(text, 2))
    end
  elseif is_in_doubt(record) then
    text = 'D' .. read(key_body, id .. '\0doubt', ERROR_BYTES)
  end
  local of = at == id and record or read(key_nodes, at, RECORD_BYTES)
  for _, word in ipairs({id, record, name_of(id, record), at, at == id and '' or name_of(at, of), text}) do
    out[#out + 1] = word
  end
end
local function records_of(ids)
  local fit = {}
  for i = 1, #ids do
    if call('HSTRLEN', key_nodes, ids[i]) <= RECORD_BYTES then fit[#fit + 1] = ids[i] end
  end
  return fit, #fit > 0 and call('HMGET', key_nodes, unpack(fit)) or {}
end
-- The children of a composite that may be queued: of a chain its present one, of others the newest.
local function whole(word) -- nil for what is no whole number that a double counts exactly
  return word and #word <= 15 and tonumber(string.match(word, '^%d+$')) or nil
end
local function children_of(id, words)
  local ids, first, stride, created = {}, whole(words[15]), whole(words[17]), whole(words[18])
  if words[1] == 'I' then
    local live = call('ZREVRANGEBYLEX', key_children, '(' .. id .. '0', '[' .. id .. '/', 'LIMIT', 0, NEWEST)
    for i = 1, #live do ids[i] = id_of(string.match(live[i], '/(%d+)$') or '0') end
  elseif first and stride and created then
    for i = math.max(0, created - (words[1] == 'C' and 1 or NEWEST)), created - 1 do
      ids[#ids + 1] = id_of(string.format('%.0f', first + i * stride))
    end
  end
  return ids
end
local function queued(last) -- walks down from the root, and from the node at the end
  local out, known, level, walked = {}, {}, {arg_tree}, 0
  if last then level = {arg_tree, last} end
  while #level > 0 and walked < MOST_WALKED and #out < MOST_QUEUED * 3 do
    local below = {}
    local ids, records = records_of(level)
    for i = 1, #ids do
      local words = {}
      for word in string.gmatch(records[i] or '', '([^\t]*)\t') do words[#words + 1] = word end
      local key = (words[4] or '') .. '\t' .. (words[5] or '')
      if (words[2] == 's' or words[1] == 'I' and words[2] == 'i' and words[21] == 'b') and not known[key] then
        known[key] = true
        for _, word in ipairs({name_of(ids[i], records[i]), words[4], words[5]}) do out[#out + 1] = word end
      end
      if words[2] == 'i' and words[15] then
        for _, child in ipairs(children_of(ids[i], words)) do
          walked = walked + 1
          if walked <= MOST_WALKED then below[#below + 1] = child end
        end
      end
    end
    level = below
  end
  return out
end
local function fed() -- nodes of the tree that may wait for memory, wherever they stand in it; none are named of too many
  local out, count = {}, call('ZCARD', key_feeding)
  if bounds.whole(key_feeding, count, MOST_FEEDING, FEEDING_BYTES) then return out end
  for _, id in ipairs(call('ZRANGE', key_feeding, 0, -1)) do
    if #out < MOST_FED and string.sub(id, 1, #arg_tree + 1) == arg_tree .. '.' then out[#out + 1] = id end
  end
  return out
end
if call('HSTRLEN', key_roots, arg_tree) > RECORD_BYTES then
  return {TOO_LARGE, key_roots .. ' has facts of more than ' .. RECORD_BYTES .. ' bytes'}
end
local facts = call('HGET', key_roots, arg_tree)
local top = facts and facts ~= '' and read(key_nodes, arg_tree, RECORD_BYTES)
if not top or top == '' then return {GONE} end
local next_free, finally = string.match(facts, '^[^\t]*\t[^\t]*\t(%d*)\t(%d*)\t')
local last = finally and finally ~= '' and read(key_nodes, id_of(finally), RECORD_BYTES) or ''
local waiting = tonumber(arg_most) > 0 and queued(last ~= '' and id_of(finally)) or {}
local feeding = tonumber(arg_most) > 0 and fed() or {}
local out = {OK, now, facts, last ~= '' and 1 or 0, #waiting / 3, unpack(waiting)}
out[#out + 1] = #feeding
for i = 1, #feeding do out[#out + 1] = feeding[i] end
add(out, arg_tree, top)
if last ~= '' then add(out, id_of(finally), last) end
-- Those that failed, those that run or are in doubt, the others, each breadth first.
local first = {x = {}, l = {}, r = {}, rest = {}}
local most, look = tonumber(arg_most), math.min(tonumber(arg_look), whole(next_free) or 0)
for from = 1, most > 0 and look - 1 or 0, PAGE do
  local page = {}
  for i = from, math.min(from + PAGE, look) - 1 do page[#page + 1] = id_of(tostring(i)) end
  local ids, records = records_of(page)
  for i = 1, #ids do
    local state = records[i] and state_of(records[i])
    local line = state ~= 't' and (state and is_in_doubt(records[i]) and first.l or first[state] or state and first.rest)
    if line and #line < most then line[#line + 1] = {ids[i], records[i]} end
  end
end
for _, state in ipairs({'x', 'l', 'r', 'rest'}) do
  for i = 1, math.min(#first[state], most) do add(out, unpack(first[state][i])) end
  most = most - math.min(#first[state], most)
end
return out
