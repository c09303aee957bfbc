-- What is to run alone of a source whose waiting work has no order: what sessions came upon, so that the one that lets its
-- other tasks end finds it again. What has no room here is met once more by chance.
-- MODULE aside
-- USES worker/isolation
-- KEYS aside: ids of what waits to run alone
local MOST, ID_BYTES = 16, 1024
function aside.put(c, id)
  if #id <= ID_BYTES and call('SCARD', c.key_aside) < MOST then call('SADD', c.key_aside, id) end
end
-- Whether this session may claim anything else; `wanted` is how many tasks it wants. `its` is its isolation, which is looked
-- at also where it wants none: a task that ran alone may have ended. `waits(id)`: nothing where it does not wait to run
-- alone any more, else whether the worker serves it. `take(id)` claims it.
function aside.allows(c, its, wanted, waits, take)
  if isolation.bars(c, its) or wanted == 0 then return false end
  local ids, mine = call('SRANDMEMBER', c.key_aside, MOST), false
  local free = #ids > 0 and isolation.is_empty(c, its)
  for i = 1, #ids do
    local serves = waits(ids[i])
    if serves == nil then
      call('SREM', c.key_aside, ids[i])
    elseif serves and free then
      call('SREM', c.key_aside, ids[i])
      take(ids[i])
      return false
    end
    mine = mine or serves
  end
  if mine then return not isolation.takes_turn(c, its, c.key_source) end
  isolation.forgets_turn(c, its)
  return true
end
