-- Trees that are undone: whether one may be cancelled for that, and whether workers may still have a part of it.
-- MODULE undoing
-- USES common/now task/nodes task/roots task/flow
local MOST_LOOKED, PAGE = 1000, 64
-- Whether a node of the tree is so. In a tree of more nodes than are looked at one counts as such.
local function any(c, top, facts, is_so)
  local count = tonumber(facts.next)
  if count > MOST_LOOKED then return true end
  for from = 0, count - 1, PAGE do
    local ids = {}
    for i = from, math.min(from + PAGE, count) - 1 do ids[#ids + 1] = nodes.relative(top, i) end
    nodes.load(c, ids)
    for i = 1, #ids do
      local n = nodes.get(c, ids[i])
      if n and n.state ~= nodes.TEMPLATE and is_so(n) then return true end
    end
  end
  return false
end
-- Whether a worker has had a part of the node. A plan that was made does not count: what it changed is undone.
local function has_begun(n)
  if n.kind == nodes.LEAF then
    return n.state == nodes.LOCKED or nodes.is_over(n) or nodes.is_in_doubt(n) or n.lost ~= '0' -- that worker may go on
      or not nodes.is_planning(n) and n.failed ~= '0' and not n.waits -- a plan's are among them: then it is waited for
  end
  return (n.kind == nodes.ITERATOR or n.kind == nodes.CHUNKS) and n.state ~= nodes.WAITING
end
-- A worker of it is about to stop, or was lost and is cut off from Redis. What an iterator or chunks have lost is not in sight.
local function may_run(n)
  return n.state == nodes.FAILED or n.lost ~= '0' or n.kind == nodes.ITERATOR or n.kind == nodes.CHUNKS
end
-- Whether a worker has had a part of a tree that has not ended.
function undoing.has_begun(c, top, facts) return nodes.is_over(top) or any(c, top, facts, has_begun) end
-- Whether workers of a tree that has ended may still be about to stop.
function undoing.may_run(c, top, facts)
  return c.now < facts.ended + flow.STOPS_MS
    and (top.state == nodes.FAILED or top.kind ~= nodes.LEAF and any(c, top, facts, may_run))
end
