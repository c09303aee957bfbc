-- What the answer of a complex task changes: {of, operations, markers, trees}. `of` is its name; operations and markers are as
-- `states` weighs them, and `trees` has the leaves of the markers as `submission` reads them. All of it is done in the step that
-- records the answer, or nothing.
-- MODULE complex
-- USES worker/settling common/decimal task/nodes task/submission task/flow task/states
local MOST_OPERATIONS, MOST_MARKERS, MOST_OF_MARKER, REMEMBERED_MS = 1024, 64, 66, 3600000
local WITHDRAWN = 'E{"reason":"Withdrawn","message":"its complex task withdrew the marker"}'
local CHANGED = '{"reason":"Conflict","message":"the state was not as the function expected it"}'
local MOST_CONFLICTS, CONFLICT_MS = 10, 100
local function lists(value, most, longest) -- nil where it is no list of so many short ones
  if type(value) ~= 'table' or #value > most then return nil end
  for i = 1, #value do
    if type(value[i]) ~= 'table' or #value[i] > longest then return nil end
    for k = 1, #value[i] do
      if type(value[i][k]) ~= 'string' and (k ~= 2 or value[i][k] ~= false) then return nil end
    end
  end
  return value
end
-- Whether the trees are the leaves of the markers, each one of them.
local function are_leaves(trees, markers)
  local at = 0
  for _, marker in ipairs(markers) do
    for i = 3, #marker do
      at = at + 1
      local tree = trees[at]
      local n = tree and tree.id == marker[i] and #tree.nodes == 1 and tree.nodes[1]
      if not n or n.kind ~= nodes.LEAF or n.parent ~= '' or tree.name ~= '' or not n.complex then return false end
    end
  end
  return at == #trees
end
-- What it changes, or nil and why not: CONFLICT, or words, or nothing where it makes no sense. `trees` are those of its markers.
function complex.weigh(c, n, part, trees)
  local operations, markers = lists(part.operations, MOST_OPERATIONS, 4), lists(part.markers, MOST_MARKERS, MOST_OF_MARKER)
  local head = n.pool .. '/' .. nodes.function_of(n) .. '\0'
  if not n.complex or not operations or not markers or type(part.of) ~= 'string' or not states.is_name(part.of)
    or string.sub(part.of, 1, #head) ~= head or not are_leaves(trees, markers) then
    return nil
  end
  for _, operation in ipairs(operations) do
    if #operation < 3 then return nil end
  end
  local all, why = states.weigh(c, part.of, operations, markers)
  if all then all.trees = trees end
  return all, why
end
-- Does it. What is withdrawn ends, also where a worker runs it; the leaf that answers goes on to its own end.
function complex.apply(c, n, all)
  states.apply(c, all)
  nodes.load(c, all.withdrawn)
  for _, id in ipairs(all.withdrawn) do
    local leaf = id ~= n.id and nodes.get(c, id)
    local is_its = leaf and leaf.kind == nodes.LEAF and leaf.parent == '' and leaf.complex and leaf.state ~= nodes.TEMPLATE
    if is_its and not nodes.is_over(leaf) then flow.finish(c, leaf, false, WITHDRAWN) end
  end
  submission.create(c, all.trees, REMEMBERED_MS)
end
-- The state was another one: the function is called again, without a trial of its own up to MOST_CONFLICTS times. What must not
-- be done twice has been done: its contingency is asked. Answers the verdict.
function complex.conflict(c, n)
  local times = (tonumber(n.complex) or 0) + 1
  n.complex = times <= MOST_CONFLICTS and decimal.of(times) or ''
  if nodes.is_unsure(n) then
    flow.doubt(c, n, n.complex == '' and 'failed' or nil, CONFLICT_MS, CHANGED)
    return settling.RETRIED
  end
  if n.complex == '' then return flow.refuse(c, n, CHANGED) end
  flow.try_later(c, n, CONFLICT_MS)
  return settling.RETRIED
end
