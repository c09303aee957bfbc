-- What tasks that wait for others lend these: groups joined by \29, each a priority and tags. Those of a tree's own nodes come
-- with its creation, see Lending of the operator.
-- MODULE lending
-- USES task/nodes task/aging
local MOST_LENDERS, MOST_BYTES = 4, 1600
local function unaged(group) return (string.gsub(group, '^(%-?%d+)@%d*', '%1')) end
-- What a task of this rank, or of none, lends: itself and what it is lent.
function lending.of(rank)
  local priority, tags, lent = nodes.parts(rank or aging.NO_RANK)
  local groups, count = {string.match(priority, '^%-?%d+') .. (tags ~= '' and '\30' .. tags or '')}, 1
  for group in string.gmatch(lent, '[^\29]+') do
    if count < MOST_LENDERS then groups[count + 1], count = unaged(group), count + 1 end
  end
  return table.concat(groups, '\29')
end
-- The rank that a task has then, or nil where it stays the same.
function lending.to(rank, groups)
  local priority, tags, lent, resources = nodes.parts(rank or aging.NO_RANK)
  local own, has, count = string.match(priority, '^%-?%d+') .. (tags ~= '' and '\30' .. tags or ''), {}, 0
  for group in string.gmatch(lent, '[^\29]+') do has[unaged(group)], count = true, count + 1 end
  local text = lent
  for group in string.gmatch(groups, '[^\29]+') do
    if group ~= own and not has[group] and count < MOST_LENDERS and #text + #group < MOST_BYTES then
      text, has[group], count = (text ~= '' and text .. '\29' or '') .. group, true, count + 1
    end
  end
  local new = text ~= lent and nodes.of_parts(priority, tags, text, resources)
  return new and nodes.is_rank(new) and new or nil
end
