-- Reads which of these nodes wait for resources, and which of those are missing. Guarantee: changes nothing.
-- FOR operator
-- FLAGS no-writes
-- KEYS nodes: id to record
-- ARGV nodes...: 0..256; ids
-- RETURNS {OK, waiting: nodes that wait for a resource, missing...(name, since, first, by, declared, permits, used, seconds,
--   holders, refused)}. Fields as of task/resources, those of permits only where these lack alone; in the order of severity to
--   the first node that waits. Refused: 1 where it has permits, which chunks cannot hold
-- USES common/decimal task/nodes task/queue task/classes task/gates task/permits
nodes.open(c)
local pools = queue.open(KEYS, key_pools)
local ids, out, waiting, seen = {}, {OK, 0}, 0, {}
for i = arg_nodes, #ARGV do ids[#ids + 1] = ARGV[i] end
nodes.load(c, ids)
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
