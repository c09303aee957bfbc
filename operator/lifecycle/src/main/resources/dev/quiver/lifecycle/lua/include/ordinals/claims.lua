-- Takes tasks of a source for a session: first from the queue, then those that nobody had yet, from the cursor or as the
-- source's order has them, as many as are wanted, there and, by their payloads, small enough. Those that are to run alone stand at the end of the queue; `isolated` counts them.
-- MODULE claims
-- USES worker/members worker/isolation common/now ordinals/trouble ordinals/readiness ordinals/picking ordinals/copies
-- USES ordinals/sequence
local SLOW = sequence.SLOW
local function take_isolated(c, source, its, taken)
  local id = call('RPOP', c.key_task_queue)
  source.isolated = source.isolated - 1
  if not id then return end
  local failed, lost = trouble.parse(call('HGET', c.key_trouble, id))
  taken.ids[1], taken.trials[1] = id, failed + lost + 1
  isolation.begins(c, its, c.key_source)
end
-- How many of these have payloads that fit into one answer. picked: the numbers of those behind the queue, unless the cursor
-- has them.
local function fitting(c, source, take, listed, picked)
  local most = tonumber(c.arg_max_bytes)
  if source.fed ~= '1' or take * source.max_payload <= most then return take end
  local ids = listed > 0 and call('LRANGE', c.key_task_queue, 0, listed - 1) or {}
  local bytes = 0
  for i = 1, take do
    bytes = bytes + call('HSTRLEN', c.key_payload,
      ids[i] or picked and picked[i - #ids] or source.cursor + i - 1 - #ids)
    if bytes > most and i > 1 then return i - 1 end
  end
  return take
end
local function take_some(c, source, taken, wanted, free, claimable)
  local ids, trials, picks = taken.ids, taken.trials, nil
  local take = math.min(wanted, free, claimable)
  -- Never less than none, whatever a tenant wrote: what is picked of an order is bounded by it.
  local listed = math.max(0, math.min(take, free - (source.count - source.cursor - (source.tail or 0))))
  if source.ordered then picks = picking.pick(c, source, take - listed) end
  if picks then take, taken.slow = listed + #picks.ids, picks.slow end
  take = fitting(c, source, take, listed, picks and picks.ids)
  listed = math.min(take, listed)
  if listed > 0 then
    local queued = call('LPOP', c.key_task_queue, listed) or {}
    local troubles = #queued > 0 and call('HMGET', c.key_trouble, unpack(queued)) or {}
    for i = 1, #queued do
      local failed, lost = trouble.parse(troubles[i])
      if lost >= isolation.LOSSES then
        call('RPUSH', c.key_task_queue, queued[i])
        source.isolated, take = source.isolated + 1, take - 1
      else
        ids[#ids + 1], trials[#ids + 1] = queued[i], failed + lost + 1
      end
    end
  end
  if picks then return picking.take(c, source, picks, taken, take - #ids) end
  local cursor = source.cursor
  for i = #ids + 1, take do
    ids[i], trials[i] = string.format('%.0f', cursor), 1
    cursor = cursor + 1
  end
  source.cursor = cursor
end
-- Takes copies of tasks that other sessions offer, at most `wanted`. A slow worker takes none of a task whose holder is hardly
-- slower.
local function take_copies(c, source, taken, wanted)
  local most, bytes, slowness = tonumber(c.arg_max_bytes), 0, picking.pace(c)
  for _, id in ipairs(source.copied) do
    local theirs = copies.offer_of(source, id)
    if #taken.ids >= wanted or not copies.has_room(source) then break end
    if theirs and (slowness <= SLOW or slowness * SLOW <= tonumber(theirs) * 1000) then
      local failed, lost = trouble.parse(call('HGET', c.key_trouble, id))
      bytes = bytes + (source.fed == '1' and call('HSTRLEN', c.key_payload, id) or 0)
      if lost < isolation.LOSSES and (bytes <= most or #taken.ids == 0) and call('HEXISTS', c.key_held, id) == 0 then
        taken.ids[#taken.ids + 1] = id
        taken.trials[#taken.ids] = failed + lost + 1
        copies.begin(source, id)
      end
    end
  end
  taken.copies = #taken.ids > 0
end
-- Takes at most so many tasks; `welcome` says whether the session may work at the source. Answers their ids and trials,
-- whether there are tasks that this session alone may not take, the ms of those that came by an order, by id, and whether
-- another session holds each of them, too.
function claims.take(c, source, its, wanted, welcome)
  local taken, before = {ids = {}, trials = {}}, source.isolated or 0
  source.isolated = before
  local claimable, others = readiness.claimable(source), false
  local free = source.left - source.running - source.delayed - source.isolated
  local barred = isolation.bars(c, its) -- also where nothing is wanted: a task that ran alone may have ended
  if wanted > 0 and source.status == 'running' then
    local empty = source.isolated > 0 and isolation.is_empty(c, its)
    if barred or claimable <= 0 then
      others = claimable > 0
    elseif empty and welcome() then
      take_isolated(c, source, its, taken)
    elseif source.isolated > 0 and not empty and isolation.takes_turn(c, its, c.key_source) then
      others = true
    elseif free > 0 and welcome() then
      take_some(c, source, taken, wanted, free, claimable)
      if taken.slow and #taken.ids == 0 then others = true end
      if #taken.ids == 0 and source.isolated > 0 and isolation.is_empty(c, its) then take_isolated(c, source, its, taken) end
    end
    if source.speculates and source.offered > 0 and claimable <= 0 and not barred then
      if welcome() then take_copies(c, source, taken, wanted) end
      others = #taken.ids == 0
    end
    if not barred and before == 0 then isolation.forgets_turn(c, its) end
    if #taken.ids == 0 and source.isolated > 0 and claimable > 0 then others = true end
  end
  if source.isolated ~= before then call('HSET', c.key_source, 'isolated', source.isolated) end
  return taken.ids, taken.trials, others, taken.known, taken.copies
end
-- The session holds them from now on, each at its place: `rows` have the places from `first` on. `copied`: whether another
-- session holds each of them, too. Answers the places, and what is to be written into `held`.
function claims.hold(c, source, ids, rows, first, copied)
  local places, held, prefix = {}, {}, c.arg_call .. '@'
  for i = 1, #ids do
    places[i] = rows[first + i - 1]
    if copied then places[i] = places[i] .. copies.MARK end
    held[i * 2 - 1], held[i * 2] = ids[i], prefix .. places[i]
  end
  if not copied then source.running = source.running + #ids end
  return places, held
end
-- The session works at the source from now on.
function claims.join(c)
  if call('HEXISTS', c.key_source, 'first_at') == 0 then call('HSET', c.key_source, 'first_at', c.now) end
  members.join(c, c.arg_source, c.key_source)
end
