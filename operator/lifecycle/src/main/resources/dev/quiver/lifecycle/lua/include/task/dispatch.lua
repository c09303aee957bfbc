-- How a claim of a pool's Tasks is answered.
-- KEYS body: id to what the node executes
-- MODULE dispatch
-- USES common/decimal task/nodes task/queue task/results
local INLINE_BYTES = 8192
-- What moves the ordinals in a document: those of a template's copy point into the template, and those of an iterator's
-- child count from that child. The child's ordinal, or 0; then of each copied template above it its first ordinal, how
-- many follow, and by how much the copy stands further on.
local function relocation(c, n)
  local at, base, blocks = n, '0', {}
  for _ = 1, nodes.MOST_CLIMBS do
    local p = nodes.parent(c, at)
    if not p then break end
    if p.kind == nodes.ITERATOR then
      base = nodes.ordinal(at.id)
      break
    end
    if p.kind == nodes.FOR_EACH and at.origin ~= '' then
      blocks[#blocks + 1] = ' ' .. p.template .. ' ' .. p.stride .. ' ' .. decimal.of(nodes.ordinal(at.id) - at.origin)
    end
    at = p
  end
  return base .. table.concat(blocks)
end
-- How far an iterator is, or a task with a plan: see `append`.
local PLANNING, PLANNED, IN_DOUBT = 'plan', 80, 'doubt' -- P
dispatch.MOST_ARGS = 65536 -- bytes of those that a plan gave
local function progress(c, n, planned)
  if n.kind == nodes.ITERATOR then
    return n.created .. ' ' .. n.finished .. ' ' .. decimal.of(n.window - (n.created - n.finished)) .. ' ' .. (results.get(c, n.id) or '')
  elseif nodes.is_planning(n) then
    return PLANNING
  end
  local is_in_doubt = nodes.is_in_doubt(n) and IN_DOUBT or ''
  if planned then
    local given = results.get(c, n.id) or ''
    return is_in_doubt .. (string.byte(given) == PLANNED and #given <= dispatch.MOST_ARGS + 1 and given or '')
  end
  return is_in_doubt
end
local function append_node(c, out, at, n, body, planned, refers) -- all of it but id, place and tokens
  local from, path = nil, ''
  if n then from, path = results.input(c, n) end
  local input = ''
  if from and path == '' and call('HSTRLEN', c.key_results, from) <= INLINE_BYTES then
    input = results.get(c, from) or 'J\nnull'
  end
  local first = not n or n.failed == '0' and n.lost == '0'
  out[at + 3], out[at + 4] = first and 1 or n.failed + n.lost + 1, n and nodes.most_trials(n) or 0
  out[at + 5] = first and 0 or tonumber(n.failed)
  out[at + 6] = n and body or ''
  out[at + 7] = from and nodes.ordinal(from) .. ' ' .. path or ''
  out[at + 8] = input
  out[at + 9] = n and progress(c, n, planned) or ''
  out[at + 10] = n and refers and relocation(c, n) or ''
end
-- Appends to `out` for each claim: id, place, trial, trials at most, failed trials, what it executes, ordinal and path of
-- its input, the input itself when it is short, and of an iterator what it has made, what of that has ended, and its room
-- and state; of a task whose plan is to be made `plan`, of one that is in doubt `doubt`, and P with the arguments that a plan
-- gave; where its arguments name results, its relocation; and the tokens of its permits.
function dispatch.append(c, out, ids, places)
  if #ids == 0 then return end
  local of, lone = {}, c.lone_claims
  nodes.load(c, ids)
  for i = 1, #ids do
    local n = not lone[ids[i]] and nodes.get(c, ids[i])
    of[i] = n and n.origin ~= '' and nodes.relative(n, n.origin) or ids[i]
  end
  local bodies, at = call('HMGET', c.key_body, unpack(of)), #out
  for i = 1, #ids do
    local id, body = ids[i], bodies[i]
    local planned = body and string.find(body, '"planMillis":', 1, true)
    local refers = body and string.find(body, '"results":{', 1, true)
    local most = not planned and not refers and lone[id]
    out[at + 1], out[at + 2], out[at + 11] = id, places[i], queue.tokens(c.own_queue, id)
    if most then
      out[at + 3], out[at + 4], out[at + 5], out[at + 6] = 1, most, 0, body or ''
      out[at + 7], out[at + 8], out[at + 9], out[at + 10] = '', '', '', ''
    else
      append_node(c, out, at, nodes.get(c, id), body, planned, refers)
    end
    at = at + 11
  end
end
