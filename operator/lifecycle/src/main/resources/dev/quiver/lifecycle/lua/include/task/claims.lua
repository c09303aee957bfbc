-- What a session holds of a pool's Tasks, and how a claim is answered. Uses tree, queue, key_held.
local INLINE_BYTES = 8192
-- What one call of this session claimed and still holds: ids and places.
local function claimed(call_number)
  local all, ids, places = call('HGETALL', key_held), {}, {}
  local prefix = call_number .. '@'
  for i = 1, #all, 2 do
    if string.sub(all[i + 1], 1, #prefix) == prefix then
      ids[#ids + 1] = all[i]
      places[#ids] = string.sub(all[i + 1], #prefix + 1)
    end
  end
  return ids, places
end
-- Appends to `out` for each claim: id, place, trial, trials at most, what it executes, ordinal and path of its input, the
-- input itself when it is short, and of an iterator what it has made, what of that has ended, and its room and state.
local function append_claims(out, ids, places)
  load(ids)
  for i = 1, #ids do
    local n, at = node(ids[i]), #out
    local from, path = nil, ''
    if n then from, path = input_of(n) end
    local input = ''
    if from and path == '' and call('HSTRLEN', key_results, from) <= INLINE_BYTES then
      input = result_of(from) or 'J\nnull'
    end
    out[at + 1], out[at + 2] = ids[i], places[i]
    out[at + 3], out[at + 4] = n and n.failed + n.lost + 1 or 1, n and tonumber(n.attempts) or 0
    out[at + 5] = n and call('HGET', key_body, n.origin == '' and n.id or relative(n, n.origin)) or ''
    out[at + 6] = from and ordinal_of(from) .. ' ' .. path or ''
    out[at + 7] = input
    out[at + 8] = n and n.kind == 'I'
      and n.created .. ' ' .. n.finished .. ' ' .. whole(n.window - (n.created - n.finished)) .. ' ' .. (result_of(n.id) or '')
      or ''
  end
end
