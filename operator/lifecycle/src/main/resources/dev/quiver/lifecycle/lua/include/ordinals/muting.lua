-- Tasks whose failure is none: their items say so. The worker settles their failed trials as pending; the lost ones are
-- decided here.
-- MODULE muting
local function muted(payload)
  if not payload or not string.find(payload, '"muted"', 1, true) then return false end
  local picked = string.match(payload, '^%d+\n(.*)$') -- of a run that repeats others: behind its number there
  local read, item = pcall(cjson.decode, picked or payload)
  return read and type(item) == 'table' and item.muted == true
end
-- Ends a task as pending that lost its worker too often, if it is muted. Answers whether it was.
function muting.forgive(c, source, id)
  if source.keeps or source.fed ~= '1' or not muted(call('HGET', c.key_payload, id)) then return false end
  source.succeeded_count, source.pending_count, source.left = source.succeeded_count + 1, source.pending_count + 1, source.left - 1
  call('HDEL', c.key_trouble, id)
  call('HDEL', c.key_failures, id)
  return true
end
