-- Which tasks of an order a worker gets: from its head at the usual speed, from its end where it is slow or does not know.
-- MODULE picking
-- USES common/now ordinals/sequence
local SLOW = sequence.SLOW
local LEAST_MS = 1000 -- a slow worker may always take so long for a task
local LEASE_MS, MOST_LEASE_MS = 10000, 600000 -- for which slow workers wait for one that is not
-- Thousandths of a task's usual time that it takes the session's worker, 0 while that is not known, and its slots.
local PACE = 1000000
function picking.pace(c)
  local pace = tonumber(c.arg_pace)
  if not pace then return 1000, 1 end
  return math.floor(pace / PACE), pace % PACE
end
-- Whether the worker is slow, while another one that is not is about to come back: where all are, nobody has to wait.
local function is_slow(c, source, slowness)
  if slowness <= SLOW then return false end
  if source.quick_until == 0 then
    source.quick_until = c.now + LEASE_MS
    call('HSET', c.key_source, 'quick_until', string.format('%.0f', source.quick_until))
  end
  return c.now < source.quick_until and source.quick_until <= c.now + MOST_LEASE_MS
end
-- A worker that is not slow will come back about when the longest of these tasks ends.
local function expect(c, source, slowness, longest)
  if slowness == 0 or slowness > SLOW then return end
  local till = c.now + math.min(MOST_LEASE_MS, math.max(LEASE_MS, 2 * longest))
  if till > source.quick_until + 1000 then call('HSET', c.key_source, 'quick_until', string.format('%.0f', till)) end
end
local function from_tail(c, source, n, limit)
  n = math.min(n, sequence.left(source))
  local got = sequence.places(c, source, source.ordered - source.tail - n, n)
  if not got then return nil end
  local picks = {ids = {}, ms = {}, of_tail = true}
  for i = n, 1, -1 do
    local ms = got[i * 2]
    if limit and ms > limit then
      picks.slow = true
      break
    end
    picks.ids[#picks.ids + 1], picks.ms[#picks.ms + 1] = string.format('%.0f', got[i * 2 - 1]), ms
  end
  return picks
end
local function from_head(c, source, n)
  local listed, picks = math.min(n, sequence.left(source)), {ids = {}, ms = {}}
  if listed > 0 then
    local got = sequence.places(c, source, source.cursor, listed)
    if not got then return nil end
    for i = 1, listed do
      picks.ids[i], picks.ms[i] = string.format('%.0f', got[i * 2 - 1]), got[i * 2]
    end
  end
  local behind = source.cursor + source.tail
  for i = listed + 1, math.min(n, source.count - behind) do
    picks.ids[i], picks.ms[i] = string.format('%.0f', behind + i - 1), 0
  end
  return picks
end
-- Which tasks this worker gets of those that nobody had yet, at most `n`, as ids and ms. `slow`: there are some that would
-- take it too long. Nothing is taken before `take`; until the source is closed there are none. Nothing for an order that
-- can not be read.
function picking.pick(c, source, n)
  if source.source_closed ~= '1' or n <= 0 then return {ids = {}, ms = {}} end
  local slowness, slots = picking.pace(c)
  local picks
  if sequence.left(source) == 0 or slowness > 0 and not is_slow(c, source, slowness) then
    picks = from_head(c, source, n)
  else
    local limit
    if slowness > 0 then
      local all = call('ZCARD', c.key_source_sessions) * slots
      limit = math.max(LEAST_MS, source.fresh_ms / math.max(1, all)) * 1000 / slowness
    end
    picks = from_tail(c, source, n, limit)
  end
  if not picks then sequence.refuse(c, source) end
  return picks
end
-- The first `n` of them are given out from now on: they are put behind those that are `taken`.
function picking.take(c, source, picks, taken, n)
  n = math.min(n, #picks.ids) -- where the queue has fewer than the numbers say, as a tenant may have changed one of them
  if n <= 0 then return end
  local ids, trials, known, sum, longest = taken.ids, taken.trials, {}, 0, 0
  for i = 1, n do
    local at, ms = #ids + 1, picks.ms[i]
    ids[at], trials[at], known[picks.ids[i]] = picks.ids[i], 1, ms
    sum, longest = sum + ms, math.max(longest, ms)
  end
  taken.known = known
  if picks.of_tail then source.tail = source.tail + n else source.cursor = source.cursor + n end
  source.fresh_ms = math.max(0, source.fresh_ms - sum)
  call('HSET', c.key_source, 'tail', source.tail, 'fresh_ms', string.format('%.0f', source.fresh_ms))
  expect(c, source, picking.pace(c), longest)
end
