-- Results and errors of nodes. A result is its format and the bytes: J<number of elements>\n and JSON, A Arrow, B bytes; or
-- @<ordinal>: that node's; or * for the array of the children's, #<number of elements> for that of the chunks. An error is
-- E and JSON, or !<ordinal>: that node's.
-- KEYS results: id to result or error
-- MODULE results
-- USES task/nodes
local MOST_RESULT = 4194304 -- bytes of a result that a script reads
local OF_NODE, JSON, ERROR_OF_NODE = 64, 74, 33 -- @ J !
-- The node whose result is the input of this one, or nil, and the path of elements in it. A chain gives each child the
-- result of the one before it, and its first child its own input. Groups give every child their own. What runs at the end
-- has the root, whose outcome is an object.
function results.input(c, n)
  local at, path = n, ''
  for _ = 1, nodes.MOST_CLIMBS do
    c.climbs_left = c.climbs_left - 1
    if at.parent == nodes.FINALLY then return nodes.tree(n.id), path end
    local p = nodes.parent(c, at)
    if not p or p.kind == nodes.ITERATOR then return nil end
    if at.element ~= '' then path = path == '' and at.element or at.element .. '/' .. path end
    local own = tonumber(nodes.ordinal(at.id))
    if p.kind == nodes.CHAIN and own > tonumber(p.first) then return nodes.relative(p, own - 1), path end
    at = p
  end
end
function results.get(c, id) -- nil for one that is larger than any that a worker brings
  return c.results[id] or call('HSTRLEN', c.key_results, id) <= MOST_RESULT and call('HGET', c.key_results, id) or nil
end
local function value_of(c, id, text) -- a JSON result, read once in a script; nil for one that Redis cannot read
  if c.decoded[id] == nil then
    -- An empty object would become the same table as an empty array. In a string the change does no harm.
    local json = string.gsub(string.sub(text, string.find(text, '\n', 1, true) + 1), '{%s*}', '0')
    local ok, value = pcall(cjson.decode, json)
    c.decoded[id] = ok and value
  end
  return c.decoded[id]
end
-- How many elements the input has at this path; nil when it is no array.
function results.elements(c, id, path)
  local text = results.get(c, id)
  for _ = 1, nodes.MOST_CLIMBS do
    if not text or string.byte(text) ~= OF_NODE then break end
    c.climbs_left = c.climbs_left - 1
    id = nodes.tree(id) .. '.' .. string.sub(text, 2)
    text = c.climbs_left > 0 and results.get(c, id) or nil
  end
  if not text then return nil end
  local first, rest = string.match(path, '^(%d+)/?(.*)$')
  if text == '*' then
    local n = nodes.get(c, id)
    if not n then return nil end
    if not first then return tonumber(n.count) end
    return results.elements(c, nodes.relative(n, n.first + first * n.stride), rest)
  end
  if not first then return tonumber(string.match(text, '^J(%d+)\n') or string.match(text, '^#(%d+)')) end
  local value = string.byte(text) == JSON and value_of(c, id, text)
  for index in string.gmatch(path, '%d+') do value = type(value) == 'table' and value[index + 1] end
  return type(value) == 'table' and (#value > 0 or next(value) == nil) and #value or nil
end
-- The error of a composite whose child failed.
function results.error(c, n, p)
  local own = results.get(c, n.id)
  local refers = own and string.byte(own) == ERROR_OF_NODE
  if p.kind ~= nodes.ITERATOR then return refers and own or '!' .. nodes.ordinal(n.id) end
  return refers and results.get(c, nodes.relative(n, string.sub(own, 2))) or own -- its children are forgotten
end
