-- Reads which of these nodes wait for resources, with what a forEach or an iterator among them made, and which of those are
-- missing. Guarantee: changes nothing.
-- FOR operator
-- FLAGS no-writes
-- KEYS nodes: id to record
-- KEYS children: live children of iterators, <iterator>/<ordinal>
-- ARGV nodes...: 0..256; ids
-- RETURNS {OK, waiting: nodes that wait for a resource, missing...(name, since, first, by, declared, permits, used, seconds,
--   holders, refused)}. Fields as of task/resources, those of permits only where these lack alone; in the order of severity to
--   the first node that waits. Refused: 1 where it has permits, which chunks cannot hold
-- USES common/decimal task/nodes task/queue task/classes task/gates task/permits
nodes.open(c)
local pools = queue.open(KEYS, key_pools)
local MOST_BELOW, NEWEST = 256, 32 -- nodes that were made and are looked at, of one maker as many at most
local ids, out, waiting, seen = {}, {OK, 0}, 0, {}
for i = arg_nodes, #ARGV do ids[#ids + 1] = ARGV[i] end
-- The children that may wait: of a chain its present one, of an iterator some, of others the newest.
local function children_of(n)
  local children = {}
  if n.kind == nodes.ITERATOR then
    for _, member in ipairs(call('ZRANGEBYLEX', key_children, '[' .. n.id .. '/', '(' .. n.id .. '0', 'LIMIT', 0, NEWEST)) do
      children[#children + 1] = nodes.relative(n, string.match(member, '/(%d+)$') or '0')
    end
  elseif n.kind ~= nodes.LEAF and n.kind ~= nodes.CHUNKS then
    local created = tonumber(n.created)
    for i = math.max(0, created - (n.kind == nodes.CHAIN and 1 or NEWEST)), created - 1 do
      children[#children + 1] = nodes.relative(n, n.first + i * n.stride)
    end
  end
  return children
end
nodes.load(c, ids)
local level, left = ids, MOST_BELOW -- level by level, behind those that were asked for
while #level > 0 and left > 0 do
  local below = {}
  for i = 1, #level do
    local n = nodes.get(c, level[i])
    for _, child in ipairs(n and n.state == nodes.IDLE and children_of(n) or {}) do
      if left > 0 then below[#below + 1], left = child, left - 1 end
    end
  end
  nodes.load(c, below)
  for i = 1, #below do ids[#ids + 1] = below[i] end
  level = below
end
for i = 1, #ids do
  local n = nodes.get(c, ids[i])
  local chunks = n and n.kind == nodes.CHUNKS and n.state == nodes.IDLE
  local queued = n and n.rank and (n.state == nodes.STARTABLE or n.kind == nodes.ITERATOR and n.step == nodes.ASKED or chunks)
  local q = queued and pools[n.pool]
  local names = q and (chunks and nodes.resources_of(nodes.resolved(q, n.rank)) or nodes.needs(n)) or ''
  local gate = names ~= '' and (chunks and gates.first_of_source(q, names) or classes.gate_of(q, n)) or ''
  if gate ~= '' then
    waiting = waiting + 1
    local from = false
    for name in string.gmatch(names, '[^\30]+') do
      from = from or name == gate
      if from and not seen[name] and #out < 2 + 10 * gates.MOST_OF_TASK
        and (name == gate or gates.is_missing(q, name) or not chunks and permits.lacks(q, name)) then
        local of = gates.state(q, name)
        local its = permits.state(q, name, of.missing or chunks)
        local refused = chunks and not of.missing and permits.is_counted(q, name)
        seen[name] = true
        for _, value in ipairs({name, decimal.of(of.since), decimal.of(of.first), of.by, of.declared and 1 or 0, its.most,
          its.used, its.seconds, its.holders, refused and 1 or 0}) do
          out[#out + 1] = value
        end
      end
    end
  end
end
out[2] = waiting
return out
