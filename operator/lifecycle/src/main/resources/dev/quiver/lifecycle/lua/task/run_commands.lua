-- Runs commands on trees. Guarantee: each once, by whoever takes it away; its effect and its removal are one. A command
-- that names a pool that is not declared stays; what passes the bounds is left as a further command. While Redis' memory
-- is used up, commands that bring work in stay.
-- FOR operator, worker, client
-- DRAINS
-- FLAGS
-- KEYS parked: leaves that wait for a suspended node, <node>/<leaf>
-- ARGV commands...: 0..64; as read
-- RETURNS {OK, commands that were run, commands that may run now...}
-- INCLUDE common/now
-- USES worker/ready
-- USES task/queue
-- INCLUDE task/records
-- INCLUDE task/tree
-- INCLUDE task/clear
local function retry(n)
  if n.kind == 'L' and n.state == RESTART then enter(n, STARTABLE)
  elseif n.kind == 'I' and n.step == 'r' and n.state == IDLE then n.step = 'b'
  else return end
  queue_up(n)
end
local function unpark(id)
  local n = node(id)
  if n and n.suspended == '1' and not over(n) then return end
  local page, back = call('ZRANGEBYLEX', key_parked, '[' .. id .. '/', '(' .. id .. '0', 'LIMIT', 0, PAGE), {}
  nodes_left = nodes_left - #page
  for i = 1, #page do
    local leaf = node(string.match(page[i], '/(.*)$'))
    if leaf and waits(leaf) and not queue_up(leaf) then
      command('unpark', id, '', leaf.pool)
      break
    end
    back[#back + 1] = page[i]
  end
  if #back > 0 then call('ZREM', key_parked, unpack(back)) end
  if #back == PAGE then command('unpark', id) end
end
local function living(act) -- on a node of a tree that goes on
  return function(n, data)
    if root(n) and alive(n) then act(n, data) end
  end
end
local run = {
  activate = living(function(n) activate(n.id) end),
  advance = living(advance),
  iterate = living(function(n) if n.state == IDLE then may_iterate(n) end end),
  retry = living(retry),
  expire = function(n, data) -- a tree's names the time that is meant, which may have changed since
    local facts = data ~= '' and root(n)
    if not over(n) and (data == '' or facts and facts.expires == data) then finish(n, false, 'E{"reason":"DeadlineExceeded","message":"the deadline has passed"}') end
  end,
  result = living(function(n, data)
    if n.kind == 'K' and not over(n) then finish(n, true, '#' .. string.match(data, '^%d* ?%d* ?%d*')) end
  end),
  error = living(function(n, data) if n.kind == 'K' and not over(n) then finish(n, false, 'E' .. data) end end),
  prune = function(n, data) if over(n) then clear('prune', n, place_of(data)) end end,
  sweep = function(n, data)
    local facts = n.parent == '' and root(n)
    if facts and facts.finally ~= '' then command('sweep', relative(n, facts.finally)) end
    if n.kind == 'L' then forget(n) else clear('sweep', n, place_of(data)) end
  end,
}
local anyway = { -- whether the node is there or not
  unpark = unpark,
  abandon = function(id, data) -- what came of a tree that never began; its root goes last
    if call('HGET', key_roots, id) ~= '' then return end
    local highest = math.min(#data <= DIGITS and tonumber(string.match(data, '^%d+$')) or 0, MOST_OF_TREE)
    local from = math.max(highest - PAGE + 1, 0)
    nodes_left = nodes_left - (highest - from)
    for ordinal = from, highest do gone[#gone + 1] = relative({id = id}, ordinal) end
    if from > 0 then command('abandon', id, whole(from - 1)) end
  end,
  unqueue = function(id, data, pool)
    local seq, handler = string.match(data, '^(%d+) (.*)$')
    local n = node(id)
    if seq and #seq <= DIGITS and pools[pool] and not (n and waits(n)) then queue.leave(pools[pool], {id = id, seq = seq, handler = handler}) end
  end,
}
local function stays(kind, n) -- until there is memory
  return draining and n and n.state == IDLE and (kind == 'iterate' or kind == 'advance' and n.kind ~= 'C')
end
-- The commands go when all is done: an error takes none of them away.
local done, left = {}, {}
for i = arg_commands, #ARGV do
  local kind, id, data, pool = string.match(ARGV[i], '^(%a+)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t')
  local known = kind and (run[kind] or anyway[kind]) -- a newer program's are left to it
  if nodes_left <= 0 then
    left[#left + 1] = ARGV[i]
  elseif known and (pool == '' or pools[pool]) and call('ZSCORE', key_commands, ARGV[i]) then
    local n = run[kind] and node(id)
    if not stays(kind, n) then
      done[#done + 1] = ARGV[i]
      nodes_left = nodes_left - 1
      if anyway[kind] then known(id, data, pool) elseif n then known(n, data) end
    end
  end
end
if #done > 0 then call('ZREM', key_commands, unpack(done)) end
local out, soon = {OK, #done}, write_back()
for i = 1, #left do out[#out + 1] = left[i] end
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
