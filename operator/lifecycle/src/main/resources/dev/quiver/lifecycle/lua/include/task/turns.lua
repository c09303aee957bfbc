-- Keys of fairness take turns: a task's number is the next turn of its key. `turns` has the last turn of each key, and the hash
-- `classes` s<key>, its weight.
-- MODULE turns
-- USES task/classes
local STRIDE = 1000
local function whole(text) return text and #text <= 15 and string.find(text, '^%d+$') and tonumber(text) or 0 end
-- The number of the first task that waits at this P; where none does, the highest turn that any key had.
local function first_at(q, P, base)
  local row = 'o\0' .. P
  local head = call('ZRANGEBYLEX', q.ranks, '[' .. row, '(' .. row .. ':', 'LIMIT', 0, 1)[1]
  local first = head and whole(string.sub(head, 18, 32)) or math.huge
  if P == classes.PLAIN then
    first = math.min(first, tonumber(call('ZRANGE', q.plain, 0, 0, 'WITHSCORES')[2] or 'inf'),
      tonumber(call('ZRANGE', q.handlers, 0, 0, 'WITHSCORES')[2] or 'inf'))
  end
  if first == math.huge then first = tonumber(call('ZRANGE', q.turns, -1, -1, 'WITHSCORES')[2] or '0') or 0 end
  return math.max(first, base)
end
-- The number of a task whose queue is fair: the next turn of its key. A key that has nothing waiting begins where the first
-- task of that priority stands, so it is served in the next round and none before. `base`: no turn is below it.
local MOST_KEYS = 10000 -- of which the last turn is kept
function turns.of(q, n, base)
  if not q.shares then
    q.shares = {turns = {}, weights = {}, starts = {}}
    call('ZREMRANGEBYRANK', q.turns, 0, -MOST_KEYS - 1)
  end
  local known, P, key = q.shares, classes.place(q, n), n.share or ''
  known.starts[P] = known.starts[P] or first_at(q, P, base)
  if not known.turns[key] then
    known.weights[key] = STRIDE / math.max(1, whole(call('HGET', q.classes, 's' .. key)))
    known.turns[key] = tonumber(call('ZSCORE', q.turns, key) or '0') or 0
  end
  local turn_of_key = math.min(math.max(known.turns[key], known.starts[P]) + known.weights[key], 999999999999999)
  known.turns[key] = turn_of_key
  call('ZADD', q.turns, turn_of_key, key)
  return turn_of_key
end
-- Nothing waits: turns are forgotten, and no later one is below them.
function turns.forget(q, facts)
  local last = tonumber(call('ZRANGE', q.turns, -1, -1, 'WITHSCORES')[2] or '0') or 0
  if last > (tonumber(facts.fair) or 0) then call('HSET', q.hash, 'fair', string.format('%.0f', math.ceil(last))) end
  call('UNLINK', q.turns)
end
