-- The records of nodes. A node's id is `<tree>` for the root, else `<tree>.<ordinal>`. Kinds: L leaf, C chain, G group,
-- E a group with a child for each element of its input, I iterator, K chunks, which are tasks of a source of their own.
-- States: w waiting, i idle (a composite that runs),
-- s startable (queued), l locked (held), r restart (waits for its retry), f finished, x finished with an error,
-- t template.
-- KEYS nodes: id to record
local WAITING, IDLE, STARTABLE, LOCKED, RESTART, FINISHED, FAILED, TEMPLATE = 'w', 'i', 's', 'l', 'r', 'f', 'x', 't'
local STATES = {w = 1, i = 2, s = 3, l = 4, r = 5, f = 6, x = 7}
local LEAF = {'kind', 'state', 'parent', 'pool', 'handler', 'attempts', 'failed', 'lost', 'total', 'progress', 'seq',
  'origin', 'element', 'suspended'}
local COMPOSITE = {unpack(LEAF)}
for _, name in ipairs({'first', 'count', 'stride', 'created', 'finished', 'window', 'step', 'on_error', 'deadline',
  'template'}) do COMPOSITE[#COMPOSITE + 1] = name end
local FINALLY = 'F' -- the parent of the node that runs at the end
local MOST_CLIMBS = 64 -- a record that a tenant wrote may lead in a circle
local MOST_RECORD, DIGITS = 4096, 15 -- bytes of a record; digits of a number in it: a double counts those exactly
local MOST_CHILDREN, MOST_STRIDE, MOST_ORDINAL = 10000, 1000, 1e14
-- How many steps to a parent, or along references, a script makes in all. Those of a step's tasks are fewer by far.
local climbs_left = 65536
local nodes = {}
-- A record that makes no sense counts as none, since a tenant may write any: every number is whole and has bounds, a
-- composite has a size, and a loop over its children ends.
local parse
do -- a script has 200 names at most
  local LEAF_RECORD = '^L\t([wslrfxt])\t(F?%d*)\t([^\t]*)\t([^\t]*)\t(%d*)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d*)\t(%d*)\t(%d*)\t(%d*)'
  local COMPOSITE_RECORD = '^([CGEIK])\t([wifxt])\t(F?%d*)\t([^\t]*)\t([^\t]*)\t(%d*)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d*)\t(%d*)\t(%d*)\t(%d*)\t'
    .. '(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t([^\t]*)\t([^\t]*)\t(%d*)\t(%d*)\t'
  local function composite(id, text)
    local kind, state, parent, pool, handler, attempts, failed, lost, total, progress, seq, origin, element, suspended, first, count,
      stride, created, finished, window, step, on_error, deadline, template = string.match(text, COMPOSITE_RECORD)
    if not kind
      or #parent > DIGITS or #attempts > DIGITS or #failed > DIGITS or #lost > DIGITS or #total > DIGITS or #progress > DIGITS
      or #seq > DIGITS or #origin > DIGITS or #element > DIGITS or #first > DIGITS or #created > DIGITS or #finished > DIGITS
      or #window > DIGITS or #deadline > DIGITS or #template > DIGITS
      or #count > 5 or count + 0 > MOST_CHILDREN or #stride > 4 or stride + 0 < 1 or stride + 0 > MOST_STRIDE
      or first + 0 > MOST_ORDINAL or kind == 'E' and template == '' then
      return false
    end
    return {id = id, kind = kind, state = state, parent = parent, pool = pool, handler = handler, attempts = attempts, failed = failed,
      lost = lost, total = total, progress = progress, seq = seq, origin = origin, element = element, suspended = suspended,
      first = first, count = count, stride = stride, created = created, finished = finished, window = window, step = step,
      on_error = on_error, deadline = deadline, template = template}
  end
  function parse(id, text)
    local n = false
    if text and #text <= MOST_RECORD then
      if string.byte(text) == 76 then -- L, in one match: leaves are many
        local state, parent, pool, handler, attempts, failed, lost, total, progress, seq, origin, element, suspended =
          string.match(text, LEAF_RECORD)
        if state and #parent <= DIGITS and #attempts <= DIGITS and #failed <= DIGITS and #lost <= DIGITS and #total <= DIGITS
          and #progress <= DIGITS and #seq <= DIGITS and #origin <= DIGITS and #element <= DIGITS then
          n = {id = id, kind = 'L', state = state, parent = parent, pool = pool, handler = handler, attempts = attempts,
            failed = failed, lost = lost, total = total, progress = progress, seq = seq, origin = origin, element = element,
            suspended = suspended}
        end
      else
        n = composite(id, text)
      end
    end
    nodes[id] = n
    return n
  end
end
local function text_of(n)
  if n.kind == 'L' then
    return 'L\t' .. n.state .. '\t' .. n.parent .. '\t' .. n.pool .. '\t' .. n.handler .. '\t' .. n.attempts .. '\t' .. n.failed
      .. '\t' .. n.lost .. '\t' .. n.total .. '\t' .. n.progress .. '\t' .. n.seq .. '\t' .. n.origin .. '\t' .. n.element
      .. '\t' .. n.suspended .. '\t'
  end
  local words = {}
  for i = 1, #COMPOSITE do words[i] = n[COMPOSITE[i]] end
  words[#words + 1] = ''
  return table.concat(words, '\t')
end
local function whole(number) return string.format('%.0f', number) end
local function load(ids)
  local ask = {}
  for i = 1, #ids do
    if nodes[ids[i]] == nil then
      ask[#ask + 1] = ids[i]
      nodes[ids[i]] = false
    end
  end
  if #ask == 0 then return end
  local texts = call('HMGET', key_nodes, unpack(ask))
  for i = 1, #ask do parse(ask[i], texts[i]) end
end
local function node(id)
  local n = nodes[id]
  if n == nil then n = parse(id, call('HGET', key_nodes, id)) end
  return n
end
local function tree_of(id)
  local dot = string.find(id, '.', 1, true)
  return dot and string.sub(id, 1, dot - 1) or id
end
local function ordinal_of(id) return string.match(id, '%.(%d+)$') or '0' end
local function relative(n, ordinal)
  ordinal = type(ordinal) == 'number' and whole(ordinal) or ordinal
  return ordinal == '0' and tree_of(n.id) or tree_of(n.id) .. '.' .. ordinal
end
local function parent_of(n)
  if n.parent == '' or n.parent == FINALLY then return nil end
  return node(relative(n, n.parent))
end
local function over(n) return n.state == FINISHED or n.state == FAILED end
-- Whether no ancestor has ended; and the nearest node, itself included, that is suspended.
local function alive(n)
  local at, suspended = n, nil
  for _ = 1, MOST_CLIMBS do
    climbs_left = climbs_left - 1
    if at.suspended == '1' then suspended = suspended or at end
    if at.parent == '' or at.parent == FINALLY then return true, suspended end
    at = parent_of(at)
    if not at or over(at) then return false end
  end
  return false
end
