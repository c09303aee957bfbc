-- How a claim of a pool's Tasks is answered. Uses tree, queue.
local INLINE_BYTES = 8192
-- Appends to `out` for each claim: id, place, trial, trials at most, failed trials, what it executes, ordinal and path of
-- its input, the input itself when it is short, and of an iterator what it has made, what of that has ended, and its room
-- and state.
local function append_claims(out, ids, places)
  if #ids == 0 then return end
  load(ids)
  local of = {}
  for i = 1, #ids do
    local n = node(ids[i])
    of[i] = n and n.origin ~= '' and relative(n, n.origin) or ids[i]
  end
  local bodies, at = call('HMGET', key_body, unpack(of)), #out
  for i = 1, #ids do
    local n = node(ids[i])
    local from, path = nil, ''
    if n then from, path = input_of(n) end
    local input = ''
    if from and path == '' and call('HSTRLEN', key_results, from) <= INLINE_BYTES then
      input = result_of(from) or 'J\nnull'
    end
    out[at + 1], out[at + 2] = ids[i], places[i]
    local first = not n or n.failed == '0' and n.lost == '0'
    out[at + 3], out[at + 4] = first and 1 or n.failed + n.lost + 1, n and tonumber(n.attempts) or 0
    out[at + 5] = first and 0 or tonumber(n.failed)
    out[at + 6] = n and bodies[i] or ''
    out[at + 7] = from and ordinal_of(from) .. ' ' .. path or ''
    out[at + 8] = input
    out[at + 9] = n and n.kind == 'I'
      and n.created .. ' ' .. n.finished .. ' ' .. whole(n.window - (n.created - n.finished)) .. ' ' .. (result_of(n.id) or '')
      or ''
    at = at + 9
  end
end
