-- The nodes of trees and their records. A node's id is `<tree>` for the root, else `<tree>.<ordinal>`.
-- States: WAITING, IDLE (a composite that runs), STARTABLE (queued), LOCKED (held), RESTART (waits for its retry),
-- FINISHED, FAILED, TEMPLATE.
-- KEYS nodes: id to record
-- MODULE nodes
-- USES common/decimal task/gates
nodes.WAITING, nodes.IDLE, nodes.STARTABLE, nodes.LOCKED = 'w', 'i', 's', 'l'
local FINISHED, FAILED = 'f', 'x'
nodes.RESTART, nodes.FINISHED, nodes.FAILED, nodes.TEMPLATE = 'r', FINISHED, FAILED, 't'
nodes.STATES = {w = 1, i = 2, s = 3, l = 4, r = 5, f = 6, x = 7}
-- FOR_EACH: a group with a child for each element of its input. CHUNKS: tasks of a source of their own.
nodes.LEAF, nodes.CHAIN, nodes.GROUP, nodes.FOR_EACH, nodes.ITERATOR, nodes.CHUNKS = 'L', 'C', 'G', 'E', 'I', 'K'
-- Steps of an iterator: it is queued or held, waits for its retry, or has said that nothing follows.
nodes.ASKED, nodes.RESTS, nodes.DONE = 'b', 'r', 'd'
nodes.FINALLY = 'F' -- the parent of the node that runs at the end
nodes.MOST_CLIMBS = 64 -- a record that a tenant wrote may lead in a circle
-- Behind an id among the bodies: the tasks that would undo the node, or its tree, and bytes of them; why it is in doubt.
nodes.UNDO, nodes.MOST_UNDO, nodes.DOUBT = '\0undo', 262144, '\0doubt'
nodes.MOST_LEFT = 262400 -- the same with the line above them of who undoes the tree
local MOST_RECORD, DIGITS = 4096, 15 -- bytes of a record; digits of a number in it: a double counts those exactly
nodes.MOST_RECORD, nodes.DIGITS, nodes.MOST_RANK = MOST_RECORD, DIGITS, 3072
nodes.MOST_CHILDREN, nodes.MOST_ORDINAL = 10000, 1e14
local MOST_STRIDE = 1000
-- A record that makes no sense counts as none, since a tenant may write any: every number is whole and has bounds, a
-- composite has a size, and a loop over its children ends. What workers run has a pool, or its command would wait for none.
local LEAF_RECORD = '^L\t([wslrfxt])\t(F?%d*)\t([^\t]+)\t([^\t]*)\t(%d*)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d*)\t(%d*)\t(%d*)\t(%d*)\t?()'
local COMPOSITE_RECORD = '^([CGEIK])\t([wifxt])\t(F?%d*)\t([^\t]*)\t([^\t]*)\t(%d*)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d*)\t(%d*)\t(%d*)\t(%d*)\t'
  .. '(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t([^\t]*)\t([^\t]*)\t(%d*)\t(%d*)\t()'
-- A rank: a priority with what it aged, tags, what is lent, and resources where it has any. Behind it stands a key of
-- fairness, and letters of what its plan said: p, t and r of its rank, u of what would undo it. Behind them c says that it has a
-- contingency, with its failed trials where that is asked, and m that it is of a complex task, with how often it met another
-- state than it expected, and b for how many trees it waits. A plain node has none of them.
local RANK, MOST_SHARE = '^%-?(%d+)@?(%d*)\31[^\31%z]*\31[^\31%z]*\31?([^\31%z]*)$', 128
function nodes.is_rank(text)
  local priority, aged, resources = string.match(#text <= nodes.MOST_RANK and text or '', RANK)
  return priority ~= nil and #priority <= 5 and #aged <= DIGITS and gates.are_names(resources)
end
-- The priority and the tags of a rank, which are joined by \30.
function nodes.rank_parts(text)
  local priority, tags = string.match(nodes.is_rank(text) and text or '', '^(%-?%d+)@?%d*\31([^\31]*)')
  return tonumber(priority or '0'), tags or ''
end
function nodes.names_resources(rank) return string.find(rank, '^[^\31]*\31[^\31]*\31[^\31]*\31') ~= nil end
-- Whether it waits for its plan, or a worker makes it: its handler has this mark then. A plan needs no resource,
-- but that of a complex task, whose plans and markers have one that only one of them can have.
local PLAN, MARK, BEFORE_MARK, NONE = '#plan', 35, -6, '0\31\31'
function nodes.is_planning(n)
  return string.byte(n.handler, -5) == MARK and string.sub(n.handler, -5) == PLAN and n.kind ~= 'I'
end
-- Whether it is in doubt: a trial did not pass, and its contingency is to tell whether what it does was done.
local CONTINGENCY, BEFORE_CONTINGENCY = '#contingency', -13
function nodes.is_in_doubt(n)
  return n.contingency and string.byte(n.handler, -12) == MARK and string.sub(n.handler, -12) == CONTINGENCY and n.kind ~= 'I'
end
-- Whether a trial that does not pass would leave it in doubt.
function nodes.is_unsure(n) return n.contingency and not nodes.is_in_doubt(n) and not nodes.is_planning(n) end
function nodes.function_of(n)
  if nodes.is_planning(n) then return string.sub(n.handler, 1, BEFORE_MARK) end
  return nodes.is_in_doubt(n) and string.sub(n.handler, 1, BEFORE_CONTINGENCY) or n.handler
end
function nodes.contingency_of(n) return nodes.function_of(n) .. CONTINGENCY end
-- The parts of a rank: the priority with what it aged, tags, what is lent, and resources. And the rank of these parts.
function nodes.parts(rank) return string.match(rank, '^([^\31]*)\31([^\31]*)\31([^\31]*)\31?(.*)$') end
function nodes.of_parts(priority, tags, lent, resources)
  return priority .. '\31' .. tags .. '\31' .. lent .. (resources ~= '' and '\31' .. resources or '')
end
-- The letters of what a plan says of a rank: priority, tags, resources. These stay the plan's, whatever is said later.
function nodes.fields_of_plan(plan)
  local letters = (plan.priority ~= nil and 'p' or '') .. (plan.tags and 't' or '') .. (plan.resources and 'r' or '')
  return letters ~= '' and letters or nil
end
-- Notes that something among the bodies would undo it, so that it goes with the node.
function nodes.keeps_undo(c, n)
  if not n or string.find(n.planned or '', 'u', 1, true) then return end
  n.planned = (n.planned or '') .. 'u'
  nodes.put(c, n)
end
-- Another rank for a node, as its plan leaves it.
function nodes.as_planned(n, rank)
  if not n.planned then return rank end
  local priority, tags, lent, resources = nodes.parts(rank ~= '' and rank or NONE)
  local its_priority, its_tags, _, its_resources = nodes.parts(n.rank or NONE)
  if string.find(n.planned, 'p', 1, true) then priority = string.match(its_priority, '^%-?%d+') end
  if string.find(n.planned, 't', 1, true) then tags = its_tags end
  if string.find(n.planned, 'r', 1, true) then resources = its_resources end
  local text = nodes.of_parts(priority, tags, lent, resources)
  return nodes.is_rank(text) and (text ~= NONE and text or '') or rank
end
-- Trials of a node that may fail: those of a plan and of a contingency are their own.
local PLAN_TRIALS = 3
function nodes.most_trials(n)
  if nodes.is_planning(n) then return PLAN_TRIALS end
  return nodes.is_in_doubt(n) and (tonumber(n.contingency) or 0) + PLAN_TRIALS or tonumber(n.max_trials) or 0
end
-- The resources that it needs where it waits or runs, joined by \30.
function nodes.needs(n) return n.rank and (n.complex or not nodes.is_planning(n)) and nodes.resources_of(n.rank) or '' end
-- The resources of a rank, joined by \30.
function nodes.resources_of(rank) return string.match(rank, '^[^\31]*\31[^\31]*\31[^\31]*\31(.*)$') or '' end
-- The names that a rank's resources stand for, in their place; where that were too long, they stay, and are missing.
local MOST_MARKS = 128 -- bytes of a rank that ageing may add
function nodes.resolved(q, rank)
  local start, resources = string.match(rank, '^([^\31]*\31[^\31]*\31[^\31]*\31)(.+)$')
  local text = start and start .. gates.resolve(q, resources)
  return text and #text <= nodes.MOST_RANK - MOST_MARKS and text or rank
end
-- Reads both into the fields rank and share; false where they make no sense.
local function read_ranks(n, tail)
  local rank, share, planned, contingency, complex, waits = string.match(tail, '^([^\t]*)\t?([^\t]*)\t?([ptru]*)(c?%d*)(m?%d*)b?(%d*)')
  if rank ~= '' and not nodes.is_rank(rank) or #share > MOST_SHARE or string.find(share, '%z') or #contingency > DIGITS or #complex > DIGITS or #waits > DIGITS then return false end
  n.rank, n.share, n.planned = rank ~= '' and rank or nil, share ~= '' and share or nil, planned ~= '' and planned or nil
  if contingency ~= '' then n.contingency = string.sub(contingency, 2) end
  if complex ~= '' then n.complex = string.sub(complex, 2) end
  if waits ~= '' then n.waits = waits end
  return n
end
local LEAF_BYTE, BESIDE = 76, 16 -- L; what stands beside the digits of a leaf's record, its pool and its handler
-- How many steps to a parent, or along references, a script makes in all. Those of a step's tasks are fewer by far.
local CLIMBS = 65536
function nodes.open(c)
  c.nodes, c.node_texts, c.changed_nodes, c.changed_texts, c.climbs_left = {}, {}, {}, {}, CLIMBS
end
local function composite(id, text)
  local kind, state, parent, pool, handler, max_trials, failed, lost, total, progress, seq, origin, element, suspended, first, count,
    stride, created, finished, window, step, on_error, deadline, template, behind = string.match(text, COMPOSITE_RECORD)
  if not kind
    or #parent > DIGITS or #max_trials > DIGITS or #failed > DIGITS or #lost > DIGITS or #total > DIGITS or #progress > DIGITS
    or #seq > DIGITS or #origin > DIGITS or #element > DIGITS or #first > DIGITS or #created > DIGITS or #finished > DIGITS
    or #window > DIGITS or #deadline > DIGITS or #template > DIGITS
    or #count > 5 or count + 0 > nodes.MOST_CHILDREN or #stride > 4 or stride + 0 < 1 or stride + 0 > MOST_STRIDE
    or first + 0 > nodes.MOST_ORDINAL or kind == nodes.FOR_EACH and template == ''
    or (kind == nodes.ITERATOR or kind == nodes.CHUNKS) and pool == '' then
    return false
  end
  local n = {id = id, kind = kind, state = state, parent = parent, pool = pool, handler = handler, max_trials = max_trials, failed = failed,
    lost = lost, total = total, progress = progress, seq = seq, origin = origin, element = element, suspended = suspended,
    first = first, count = count, stride = stride, created = created, finished = finished, window = window, step = step,
    on_error = on_error, deadline = deadline, template = template}
  return behind > #text and n or read_ranks(n, string.sub(text, behind))
end
-- The record's node, or false for one that makes no sense.
function nodes.parse(c, id, text)
  local n = false
  if text and #text <= MOST_RECORD then
    if string.byte(text) == LEAF_BYTE then -- in one match: leaves are many
      local state, parent, pool, handler, max_trials, failed, lost, total, progress, seq, origin, element, suspended, behind =
        string.match(text, LEAF_RECORD)
      -- Where all of its digits together are few, each number has few.
      if state and (behind - #pool - #handler <= BESIDE + DIGITS
        or #parent <= DIGITS and #max_trials <= DIGITS and #failed <= DIGITS and #lost <= DIGITS and #total <= DIGITS
        and #progress <= DIGITS and #seq <= DIGITS and #origin <= DIGITS and #element <= DIGITS) then
        n = {id = id, kind = 'L', state = state, parent = parent, pool = pool, handler = handler, max_trials = max_trials,
          failed = failed, lost = lost, total = total, progress = progress, seq = seq, origin = origin, element = element,
          suspended = suspended}
        if behind <= #text then n = read_ranks(n, string.sub(text, behind)) end
      end
    else
      n = composite(id, text)
    end
  end
  c.nodes[id] = n
  return n
end
local function ranks(n)
  if not n.rank and not n.share and not n.planned and not n.contingency and not n.complex and not n.waits then return '' end
  local letters = (n.planned or '') .. (n.contingency and 'c' .. n.contingency or '') .. (n.complex and 'm' .. n.complex or '')
    .. (n.waits and 'b' .. n.waits or '')
  return (n.rank or '') .. '\t' .. (n.share or '') .. '\t' .. (letters ~= '' and letters .. '\t' or '')
end
-- Its record.
function nodes.text(n)
  if n.kind == nodes.LEAF then
    return 'L\t' .. n.state .. '\t' .. n.parent .. '\t' .. n.pool .. '\t' .. n.handler .. '\t' .. n.max_trials .. '\t' .. n.failed
      .. '\t' .. n.lost .. '\t' .. n.total .. '\t' .. n.progress .. '\t' .. n.seq .. '\t' .. n.origin .. '\t' .. n.element
      .. '\t' .. n.suspended .. '\t' .. ranks(n)
  end
  return n.kind .. '\t' .. n.state .. '\t' .. n.parent .. '\t' .. n.pool .. '\t' .. n.handler .. '\t' .. n.max_trials .. '\t' .. n.failed
    .. '\t' .. n.lost .. '\t' .. n.total .. '\t' .. n.progress .. '\t' .. n.seq .. '\t' .. n.origin .. '\t' .. n.element
    .. '\t' .. n.suspended .. '\t' .. n.first .. '\t' .. n.count .. '\t' .. n.stride .. '\t' .. n.created .. '\t' .. n.finished
    .. '\t' .. n.window .. '\t' .. n.step .. '\t' .. n.on_error .. '\t' .. n.deadline .. '\t' .. n.template .. '\t' .. ranks(n)
end
-- Reads the records of many at once. Each is parsed when somebody asks for its node.
function nodes.load(c, ids)
  local ask, known, read = {}, c.nodes, c.node_texts
  for i = 1, #ids do
    local id = ids[i]
    if known[id] == nil and read[id] == nil then
      ask[#ask + 1] = id
      read[id] = false
    end
  end
  if #ask == 0 then return end
  local texts = call('HMGET', c.key_nodes, unpack(ask))
  for i = 1, #ask do read[ask[i]] = texts[i] end
end
-- The node of this id, or false.
function nodes.get(c, id)
  local n = c.nodes[id]
  if n == nil then
    local text = c.node_texts[id]
    if text == nil then text = call('HGET', c.key_nodes, id) end
    n = nodes.parse(c, id, text)
  end
  return n
end
-- The name of its function, or nothing; a leaf that nobody asked for is not parsed.
local LEAF_HANDLER = '^L\t%a\t[F%d]*\t[^\t]+\t([^\t]*)\t'
function nodes.handler_of(c, id)
  local text = c.nodes[id] == nil and c.node_texts[id]
  local handler = text and string.match(text, LEAF_HANDLER)
  if handler then return handler end
  local n = nodes.get(c, id)
  return n and n.handler or ''
end
function nodes.tree(id)
  local dot = string.find(id, '.', 1, true)
  return dot and string.sub(id, 1, dot - 1) or id
end
-- The tree of a node. This and its parent's id are asked for at each turn, so the node keeps them while the script lasts.
function nodes.tree_of(n)
  local tree = n.tree
  if not tree then
    tree = n.parent == '' and n.id or nodes.tree(n.id)
    n.tree = tree
  end
  return tree
end
function nodes.ordinal(id) return string.match(id, '%.(%d+)$') or '0' end
-- The id of another node of the same tree.
function nodes.relative(n, ordinal)
  if type(ordinal) == 'number' then ordinal = decimal.of(ordinal) end
  local tree = nodes.tree_of(n)
  return ordinal == '0' and tree or tree .. '.' .. ordinal
end
function nodes.parent(c, n)
  local id = n.above
  if id == nil then
    id = n.parent ~= '' and n.parent ~= nodes.FINALLY and nodes.relative(n, n.parent)
    n.above = id
  end
  if not id then return nil end
  local parent = c.nodes[id]
  if parent == nil then parent = nodes.get(c, id) end
  return parent and parent.kind ~= 'L' and parent
end
-- Whether both records say that one is below the other. Ordinals rise on the way down, so no node is below itself.
function nodes.is_child(n, child)
  local ordinal = nodes.ordinal(n.id)
  return child.parent == ordinal and tonumber(nodes.ordinal(child.id)) > tonumber(ordinal)
end
function nodes.is_over(n)
  local state = n.state
  return state == FINISHED or state == FAILED
end
-- Whether no ancestor has ended; and the nearest node, itself included, that is suspended.
function nodes.is_alive(c, n)
  local at, suspended = n, nil
  for _ = 1, nodes.MOST_CLIMBS do
    c.climbs_left = c.climbs_left - 1
    if at.suspended == '1' then suspended = suspended or at end
    if at.parent == '' or at.parent == nodes.FINALLY then return true, suspended end
    at = nodes.parent(c, at)
    if not at or nodes.is_over(at) then return false end
  end
  return false
end
-- Its record will be written.
function nodes.put(c, n) c.changed_nodes[n.id] = n end
