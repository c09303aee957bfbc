-- What tasks have aged, as the texts of their ranks say.
-- MODULE aging
aging.NO_RANK = '0\31\31' -- that of a task which has none
local MOST_AGED = 4e14
aging.BEFORE_ALL = '500000000000' -- lent to what goes before all, and ages no more
local function whole(text) return text and #text <= 15 and string.find(text, '^%-?%d+$') and tonumber(text) or 0 end
-- How far what comes now stands behind what came when ageing began, in thousandths of a priority; nothing without it. The
-- field `ageing` has what a minute is worth, since when, and what came before that: "a since offset".
function aging.by(ageing, now)
  local a, since, offset = string.match(ageing or '', '^(%d+) (%d+) (%d+)$')
  if not a then return nil end
  return math.min(whole(offset) + 1000 * whole(a) * math.floor(math.max(now - whole(since), 0) / 60000), MOST_AGED)
end
-- The text of a rank whose parts, its own and each that is lent, have aged so much: a mark, or nothing.
local function marked(rank, mark)
  local function mark_part(text) return text == aging.BEFORE_ALL and text or (string.gsub(text, '^(%-?%d+)@?%d*', '%1' .. mark)) end
  local own, groups = string.match(rank, '^([^\31]*\31[^\31]*\31)(.*)$')
  return mark_part(own or aging.NO_RANK) .. (string.gsub(groups or '', '[^\29]+', mark_part))
end
-- Notes with a rank what its task has aged, once: so the member of the task can be made again. Where tasks age, each has a
-- rank, or those without one would stand before all that come later. What is lent ages with it.
function aging.note(n, ageing, now)
  local aged = aging.by(ageing, now)
  if not n.rank and not aged then return end
  n.rank = marked(n.rank or '', aged and '@' .. string.format('%.0f', aged) or '')
end
-- Another rank for a task that has this one, or none: nil for none, and what the task has aged stays. False where it is the
-- same.
function aging.other(rank, text)
  local old = rank or aging.NO_RANK
  local mark, new = string.match(old, '^%-?%d+(@?%d*)'), text == '' and aging.NO_RANK or text
  if marked(old, '') == marked(new, '') then return false end
  return (text ~= '' or mark ~= '') and marked(new, mark) or nil
end
-- A task that comes back has not aged for longer than ageing is there.
function aging.again(n, ageing, now)
  local mark = string.match(n.rank, '^%-?%d+@(%d*)')
  if mark and whole(mark) > (aging.by(ageing, now) or -1) then aging.note(n, ageing, now) end
end
-- What the pool had of ageing is over when nothing waits and a minute is worth nothing.
function aging.forget(q, facts)
  if not string.find(facts.ageing, '^0 ') then return end
  call('HDEL', q.hash, 'ageing')
  facts.ageing = nil
end
