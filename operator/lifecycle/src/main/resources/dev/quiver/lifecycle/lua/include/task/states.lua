-- What complex tasks keep. Each has a state, which is fields with JSON values, and markers: what is to be done, which leaves
-- execute. Its name is <pool>/<handler> NUL <key>: by the pool's permits its plans and markers take turns. In `states`, behind it:
--   \0           its facts: version, fields, markers, and bytes of both
--   \1<field>    a value
--   \2<marker>   leaves that have not ended, joined by blanks; in a second line what the marker says, and in a third one why
--                a leaf of it failed for good
-- and \3<leaf> has the marker of a leaf. `state_names` has the names of fields and markers.
-- KEYS states: of complex tasks, their facts, fields and markers; and leaves to their markers
-- KEYS state_names: 0, the names of their fields and markers
-- MODULE states
-- USES common/decimal common/pages task/nodes
local FACTS, FIELD, MARKER, LEAF, AFTER = '\0', '\1', '\2', '\3', '\3'
states.MOST_FIELDS, states.MOST_MARKERS, states.MOST_BYTES, states.CONFLICT = 1024, 1000, 262144, 'conflict'
local LONGEST_OF, MOST_NAME, MOST_ERROR, MOST_WITHDRAWN, MOST_FACTS, MOST_NUMBER = 384, 128, 1024, 256, 64, 32
local SHORT_ERROR, MOST_WHOLE = '{"reason":"Error"}', 9007199254740991
local DELETE, ADD = 'd', 'a'
function states.is_name(of) return #of <= LONGEST_OF and string.find(of, '^[a-z0-9.-]+/[!-~]+%z[!-~]+$') ~= nil end
local function is_part(name) return type(name) == 'string' and #name <= MOST_NAME and string.find(name, '^[!-~]+$') end
-- Whether the keys are ours: a tenant may have written others under their names. Then nothing is kept, and no step of others fails.
local function are_ours(c)
  if c.states_are_ours == nil then
    local states_type, names_type = call('TYPE', c.key_states).ok, call('TYPE', c.key_state_names).ok
    c.states_are_ours = (states_type == 'hash' or states_type == 'none') and (names_type == 'zset' or names_type == 'none')
  end
  return c.states_are_ours
end
local function value(c, field) -- nil for one that is larger than any that a script writes
  return call('HSTRLEN', c.key_states, field) <= states.MOST_BYTES and call('HGET', c.key_states, field) or nil
end
-- Its facts. A tenant may have written them: they bound what is kept, and nothing else.
function states.facts(c, of)
  local text = are_ours(c) and call('HSTRLEN', c.key_states, of .. FACTS) <= MOST_FACTS and call('HGET', c.key_states, of .. FACTS) or ''
  local version, fields, markers, bytes = string.match(text, '^(%d+) (%d+) (%d+) (%d+)$')
  local function whole(digits) return digits and #digits <= nodes.DIGITS and tonumber(digits) or 0 end
  return {version = whole(version), fields = whole(fields), markers = whole(markers), bytes = whole(bytes)}
end
local function write(c, of, facts)
  if facts.fields <= 0 and facts.markers <= 0 then return call('HDEL', c.key_states, of .. FACTS) end
  call('HSET', c.key_states, of .. FACTS, decimal.of(facts.version + 1) .. ' ' .. decimal.of(math.max(0, facts.fields)) .. ' '
    .. decimal.of(math.max(0, facts.markers)) .. ' ' .. decimal.of(math.max(0, facts.bytes)))
end
-- The lines of a marker: its leaves, its words, and the error of one that failed, or nothing.
local function lines_of(text)
  local leaves, words, error = string.match(text or '', '^([^\n]*)\n([^\n]*)\n?(.*)$')
  return leaves or '', words or '{}', error or ''
end
local function number(text)
  return #text <= MOST_NUMBER and string.find(text, '^%-?%d+%.?%d*[eE]?[+-]?%d*$') and tonumber(text) or nil
end
local function is_digits(text) return string.find(text, '^%-?%d+$') ~= nil end
-- The sum of two JSON numbers in its shortest words; nil where one is none, or it could not be told exactly.
local function sum(a, b)
  local x, y = number(a), number(b)
  local z = x and y and x + y
  if not z or z ~= z or math.abs(z) == math.huge then return nil end
  local is_whole = is_digits(a) and is_digits(b)
  if is_whole and math.max(math.abs(x), math.abs(y), math.abs(z)) > MOST_WHOLE then return nil end
  if is_whole then return decimal.of(z) end
  for digits = 15, 17 do
    local text = string.format('%.' .. digits .. 'g', z)
    if tonumber(text) == z then return text end
  end
end
-- Whether a field has the value that is expected of it. Numbers are compared as such, so 1 is 1.0; whole ones by their digits,
-- of which a double has not all.
local function is_expected(c, field, size, expected)
  if expected == 'null' then return size == 0 or size == 4 and value(c, field) == 'null' end
  if size == 0 or size ~= #expected and (size > MOST_NUMBER or #expected > MOST_NUMBER) then return false end
  local old = value(c, field)
  if old == expected then return true end
  if not old or is_digits(old) and is_digits(expected) then return false end
  local told = number(old)
  return told ~= nil and math.abs(told) ~= math.huge and told == number(expected)
end
-- The field or marker has this value, or none, from now on.
local function change(all, name, part, size, new, counter)
  local field = all.of .. part .. name
  if new then
    all.rows[#all.rows + 1], all.rows[#all.rows + 2] = field, new
    if size == 0 then all.names[#all.names + 1], all.names[#all.names + 2] = 0, field end
  elseif size > 0 then
    all.gone[#all.gone + 1] = field
  end
  local facts = all.facts
  facts[counter] = facts[counter] + (new and 1 or 0) - (size > 0 and 1 or 0)
  facts.bytes = facts.bytes + (new and #name + #new or 0) - (size > 0 and #name + size or 0)
end
-- What operations and markers would change, as `apply` takes it. An operation is a list: s, d or a for set, delete and add;
-- the field; a value; and what it is expected to be, if anything. A marker is one: its name; its words, or false to withdraw it;
-- and its leaves. Where that cannot be, nil and CONFLICT or words for people. Nothing is written.
function states.weigh(c, of, operations, markers)
  if not are_ours(c) then return nil, 'the keys of complex tasks hold something else' end
  local all = {of = of, facts = states.facts(c, of), rows = {}, names = {}, gone = {}, leaves = {}, withdrawn = {}}
  local before = {fields = all.facts.fields, markers = all.facts.markers, bytes = all.facts.bytes}
  local seen = {}
  local function is_new(name, part)
    local field = part .. tostring(name)
    local new = is_part(name) and not seen[field]
    seen[field] = true
    return new
  end
  for _, operation in ipairs(operations) do
    local kind, name, new, expected = operation[1], operation[2], operation[3], operation[4]
    if not is_new(name, FIELD) then return nil, 'state has a field twice, or one whose name cannot be read' end
    local size = call('HSTRLEN', c.key_states, of .. FIELD .. name)
    if expected and not is_expected(c, of .. FIELD .. name, size, expected) then return nil, states.CONFLICT end
    if kind == ADD then
      new = sum(size > 0 and (size <= MOST_NUMBER and value(c, of .. FIELD .. name) or 'none') or '0', new)
      if not new then return nil, 'state cannot add to ' .. name .. ', which is no number, or would be too large' end
    end
    change(all, name, FIELD, size, kind ~= DELETE and new or nil, 'fields')
  end
  for _, marker in ipairs(markers) do
    local name, words = marker[1], marker[2]
    if not is_new(name, MARKER) then return nil, 'markers have a name twice, or one that cannot be read' end
    local field = of .. MARKER .. name
    for leaf in string.gmatch((lines_of(value(c, field))), '%S+') do all.withdrawn[#all.withdrawn + 1] = leaf end
    for i = 3, words and #marker or 0 do all.leaves[#all.leaves + 1], all.leaves[#all.leaves + 2] = LEAF .. marker[i], field end
    change(all, name, MARKER, call('HSTRLEN', c.key_states, field), words and table.concat(marker, ' ', 3) .. '\n' .. words or nil, 'markers')
  end
  if #all.withdrawn > MOST_WITHDRAWN then
    return nil, 'markers withdraw ' .. #all.withdrawn .. ' tasks at once, at most ' .. MOST_WITHDRAWN .. ' are allowed'
  end
  for _, bound in ipairs({{'fields', states.MOST_FIELDS}, {'markers', states.MOST_MARKERS}, {'bytes', states.MOST_BYTES}}) do
    if all.facts[bound[1]] > bound[2] and all.facts[bound[1]] > before[bound[1]] then -- it may always shrink
      return nil, 'the complex task has ' .. decimal.of(all.facts[bound[1]]) .. ' ' .. bound[1] .. ', at most ' .. bound[2] .. ' are allowed'
    end
  end
  return all
end
function states.apply(c, all)
  for _, leaf in ipairs(all.withdrawn) do all.gone[#all.gone + 1] = LEAF .. leaf end
  pages.each(all.gone, function(...) call('HDEL', c.key_states, ...) end)
  pages.each(all.gone, function(...) call('ZREM', c.key_state_names, ...) end)
  pages.each(all.rows, function(...) call('HSET', c.key_states, ...) end)
  pages.each(all.leaves, function(...) call('HSET', c.key_states, ...) end)
  pages.each(all.names, function(...) call('ZADD', c.key_state_names, ...) end)
  write(c, all.of, all.facts)
end
-- A leaf has ended, of a marker or of none. The marker goes with its last one, unless one of them failed: whoever plans next sees that.
function states.ended(c, n, ok, error)
  if not are_ours(c) then return end
  local field = value(c, LEAF .. n.id)
  local of, name = string.match(field or '', '^([^%z]+%z[^\2]+)\2(.+)$')
  if not of then return end
  call('HDEL', c.key_states, LEAF .. n.id)
  local text = value(c, field)
  if not text then return end
  local leaves, words, failed = lines_of(text)
  local left = {}
  for leaf in string.gmatch(leaves, '%S+') do
    if leaf ~= n.id then left[#left + 1] = leaf end
  end
  local facts = states.facts(c, of)
  if not ok then
    local fits = error and #error <= MOST_ERROR and facts.bytes + #error <= states.MOST_BYTES
    failed = fits and string.match(error, '^E([^\n]+)$') or SHORT_ERROR
  end
  if #left == 0 and failed == '' then
    call('HDEL', c.key_states, field)
    call('ZREM', c.key_state_names, field)
    facts.markers, facts.bytes = facts.markers - 1, facts.bytes - #name - #text
  else
    local new = table.concat(left, ' ') .. '\n' .. words .. (failed ~= '' and '\n' .. failed or '')
    call('HSET', c.key_states, field, new)
    facts.bytes = facts.bytes + #new - #text
  end
  write(c, of, facts)
end
-- The names and values of its fields, and of its markers where these are asked for, a name with the mark of what it is; and how
-- many bytes they are. Nothing but that where they are more than `most`. A marker's leaves are told by their number.
function states.read(c, of, with_markers, most_bytes)
  if not are_ours(c) then return {}, 0 end
  local to, most = '(' .. of .. (with_markers and AFTER or MARKER), states.MOST_FIELDS + states.MOST_MARKERS
  local names, bytes, out = call('ZRANGEBYLEX', c.key_state_names, '[' .. of .. FIELD, to, 'LIMIT', 0, most), 0, {}
  for i = 1, #names do bytes = bytes + #names[i] + call('HSTRLEN', c.key_states, names[i]) end
  if bytes > most_bytes then return {}, bytes end
  pages.each(names, function(...)
    local values, page = call('HMGET', c.key_states, ...), {...}
    for i = 1, #page do
      local name, text = string.sub(page[i], #of + 1), values[i]
      if text and string.byte(name) == 2 then
        local leaves, words, failed = lines_of(text)
        local _, left = string.gsub(leaves, '%S+', '')
        text = left .. '\n' .. words .. (failed ~= '' and '\n' .. failed or '')
      end
      if text then out[#out + 1], out[#out + 2] = name, text end
    end
  end)
  return out, bytes
end
