-- Permits that are free bring up classes that wait for them: of each handler the best ones, as many as permits were given back,
-- and no more. So a permit waits for no handler that nobody serves, and of many that wait few move. Bounded: what is too much
-- for a call is left to the command `offer`, which also ends windows.
-- MODULE offers
-- USES task/gates task/permits task/classes task/commands common/decimal
local MOST_LOOKS, MOST_CLASSES, PAGE = 256, 128, 64
local BEHIND = '~' -- all classes of a handler
local function offer(c, q, name, count, from)
  local row, left = 'g' .. name .. '\0', count
  q.offers = q.offers or {looks = MOST_LOOKS, classes = MOST_CLASSES}
  while count > 0 and not permits.lacks(q, name) do
    if q.offers.looks <= 0 or q.offers.classes <= 0 then
      return commands.once(c, 'offer', name, decimal.of(count) .. ' ' .. from, q.name)
    end
    local most = math.min(left, PAGE)
    local page, rows = call('ZRANGEBYLEX', q.ranks, '[' .. row .. from, '(g' .. name .. '\1', 'LIMIT', 0, most + 1), {}
    q.offers.looks = q.offers.looks - 1
    if not page[1] then return end
    local handler = string.sub(page[1], #row + 1, #row + 6)
    for i = 1, math.min(#page, most) do
      if string.sub(page[i], #row + 1, #row + 6) == handler then rows[#rows + 1] = page[i] end
    end
    q.offers.classes = q.offers.classes - #rows
    left = left - classes.bring_up(q, name, rows) -- some wait for something else by now
    from = handler
    if left <= 0 or #rows < most then from, left = handler .. BEHIND, count end
  end
end
-- Makes the offers that a script has noted. Call it when what arrives and leaves is written.
function offers.make(c, q)
  if not q.permits then return end
  for name, count in pairs(permits.wanted(q)) do offer(c, q, name, math.min(count, gates.MOST_PERMITS), '') end
  for name, till in pairs(permits.ends(q)) do commands.once(c, 'offer', name, '', q.name, till) end
end
-- That command: how many classes and the first handler, or nothing where a window is over.
function offers.run(c, q, name, data)
  local count, from = string.match(#data <= 32 and data or '', '^(%d+) (%x*~?)$')
  if not gates.is_name(name) then return end
  if data == '' then
    permits.end_window(q, name)
    count = permits.free(q, name)
  end
  q.ranked, q.touched = true, true
  offer(c, q, name, math.min(tonumber(count or '0') or 0, gates.MOST_PERMITS), from or '')
end
