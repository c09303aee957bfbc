-- What is to run alone (worker/alone) of a source whose waiting work has no order: what sessions came upon, so that the one
-- that lets its other tasks end finds it again. What has no room here is met once more by chance.
-- Uses alone, key_source.
-- KEYS aside: ids of what waits to run alone
local aside = {MOST = 16, ID_BYTES = 1024}
function aside.put(id)
  if #id <= aside.ID_BYTES and call('SCARD', key_aside) < aside.MOST then call('SADD', key_aside, id) end
end
-- Whether this session may claim anything else. `waits(id)`: nothing where it does not wait to run alone any more, else
-- whether the worker serves it. `take(id)` claims it.
function aside.allows(waits, take)
  local ids, mine = call('SRANDMEMBER', key_aside, aside.MOST), false
  local free = #ids > 0 and alone.is_empty()
  for i = 1, #ids do
    local serves = waits(ids[i])
    if serves == nil then
      call('SREM', key_aside, ids[i])
    elseif serves and free then
      call('SREM', key_aside, ids[i])
      take(ids[i])
      return false
    end
    mine = mine or serves
  end
  if mine then return not alone.takes_turn(key_source) end
  alone.forgets_turn()
  return true
end
