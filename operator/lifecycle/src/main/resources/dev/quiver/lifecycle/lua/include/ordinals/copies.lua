-- Tasks that two sessions hold on purpose. While nothing else of a source waits, the holder of a task that takes long offers
-- it, and an idle session begins a copy of it. The one that passes first, or fails for good, decides; the other one is
-- stopped. A source without the field `speculates` has no copies, and nothing here is called for it.
-- The field `copies` of the source has a line for each such task: its id, a blank, and its state: o while two hold it, d
-- since one of them decided it and until the other one lets go, else the offer of its one holder, n<slowness>/<session>.
-- `offered` counts offers that stand, `offers` all that ever were, `speculated` the copies that ever began.
-- MODULE copies
local MOST = 64 -- offers and copies at once
local MOST_BYTES, ID_BYTES = 16384, 64 -- of all lines, of an id
local MOST_COUNT = 1e15 -- of what ever was
copies.MARK = 'c' -- stands behind the place of a copy in `held`
local SHARED, DECIDED, OFFER = 'o', 'd', '^n(%d+)/(%S+)$'
local function whole(text) -- 0 for what is none: a tenant may have written it
  local n = tonumber(text or '0')
  return n and n >= 0 and n <= MOST_COUNT and n % 1 == 0 and n or 0
end
local function count(source)
  source.copies, source.offered = 0, 0
  for i = 1, #source.copied do
    local state = source.copy_of[source.copied[i]]
    if state == SHARED or state == DECIDED then
      source.copies = source.copies + 1
    else
      source.offered = source.offered + 1
    end
  end
end
local function put(source, id, state)
  if state and not source.copy_of[id] then source.copied[#source.copied + 1] = id end
  source.copy_of[id], source.copies_changed = state, true
  if not state then
    local rest = {}
    for i = 1, #source.copied do
      if source.copied[i] ~= id then rest[#rest + 1] = source.copied[i] end
    end
    source.copied = rest
  end
  count(source)
end
-- Reads those of the source.
function copies.open(c, source)
  source.copied, source.copy_of, source.copies_changed = {}, {}, false
  local length = call('HSTRLEN', c.key_source, 'copies')
  local texts = call('HMGET', c.key_source, 'offers', 'speculated', length <= MOST_BYTES and length > 0 and 'copies' or '')
  source.offers, source.speculated = whole(texts[1]), whole(texts[2])
  for id, state in string.gmatch(texts[3] or '', '(%S+) (%S+)\n') do
    if #source.copied < MOST and not source.copy_of[id] and (state == SHARED or state == DECIDED or string.find(state, OFFER)) then
      source.copied[#source.copied + 1], source.copy_of[id] = id, state
    end
  end
  count(source)
end
-- Writes them if they have changed.
function copies.write(c, source)
  if not source.copies_changed then return end
  local lines = {}
  for i = 1, #source.copied do lines[i] = source.copied[i] .. ' ' .. source.copy_of[source.copied[i]] .. '\n' end
  call('HSET', c.key_source, 'copies', table.concat(lines), 'offered', source.offered, 'offers', source.offers,
    'speculated', source.speculated)
  source.copies_changed = false
end
-- Whether another holder has decided this task.
function copies.is_decided(source, id) return source.copy_of[id] == DECIDED end
-- Whether the holder may offer it: no other one holds it, and none was offered it.
function copies.may_be_offered(source, id)
  return not source.copy_of[id] and source.copies + source.offered < MOST and #id <= ID_BYTES and not string.find(id, '%s')
end
-- A session offers it. slowness: of the session, as text.
function copies.offer(source, id, slowness, session)
  source.offers = source.offers + 1
  put(source, id, 'n' .. slowness .. '/' .. session)
end
-- The slowness of the session that offers it, as text, and the session; nothing of a task that is not offered.
function copies.offer_of(source, id) return string.match(source.copy_of[id] or '', OFFER) end
-- Another session begins a copy of it.
function copies.begin(source, id)
  source.speculated = source.speculated + 1
  put(source, id, SHARED)
end
-- One of its holders lets a task go. `decides`: by a pass, or a failure for good. Answers `decided` where the other one did
-- so before, `shared` where the other one goes on and nothing is decided yet, else nothing.
function copies.let_go(source, id, decides)
  local state = source.copy_of[id]
  if not state then return nil end
  if state == SHARED and decides then
    put(source, id, DECIDED)
    return nil
  end
  put(source, id, nil)
  return state == SHARED and 'shared' or state == DECIDED and 'decided' or nil
end
-- Whether the bound of tasks at once leaves room for one more.
function copies.has_room(source)
  local most = source.max_parallel or 0
  return most <= 0 or source.running + source.copies < most
end
-- The mark of an entry of `held`, to be put behind another place.
function copies.mark(entry) return string.sub(entry, -1) == copies.MARK and copies.MARK or '' end
-- Takes the mark off each place, and puts it before the estimate of its task. Answers the estimates. told: theirs, or empty.
function copies.tell(places, told)
  local texts, any = {}, false
  for text in string.gmatch(told, '%S+') do texts[#texts + 1] = text end
  for i = 1, #places do
    texts[i] = texts[i] or '0'
    if string.sub(places[i], -1) == copies.MARK then
      places[i], texts[i], any = string.sub(places[i], 1, -2), copies.MARK .. texts[i], true
    end
  end
  return any and table.concat(texts, ' ') or told
end
-- What an earlier session had offered of these tasks, this one offers from now on.
function copies.inherit(c, source, ids, session)
  for i = 1, #ids do
    local slowness = copies.offer_of(source, ids[i])
    if slowness then put(source, ids[i], 'n' .. slowness .. '/' .. session) end
  end
  copies.write(c, source)
end
-- The source ends. What was decided while somebody still held it stays known: its other holder has not left it undone.
function copies.finish(c)
  if call('HSTRLEN', c.key_source, 'speculates') == 0 then return end
  local source = {}
  copies.open(c, source)
  for i = #source.copied, 1, -1 do
    if not copies.is_decided(source, source.copied[i]) then put(source, source.copied[i], nil) end
  end
  copies.write(c, source)
end
