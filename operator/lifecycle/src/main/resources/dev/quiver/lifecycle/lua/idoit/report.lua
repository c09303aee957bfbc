-- A tree of the wire for people: the root and what is below it, breadth first. Guarantee: reads only; every value is measured
-- before it is copied.
-- FOR operator
-- FLAGS no-writes
-- ARGV root: id of the root
-- ARGV most: 0..2000; tasks that are looked at
-- RETURNS {OK, now, more: 1 when there are others, ended_at: of the root as ms or 0, tasks...(id, name, state,
--   progress, retries, options, error)} | {GONE}
-- USES idoit/wire common/now
idoit.open(c)
local LONG, LISTS_BYTES, MEMBERS = 2048, 1048576, 10000
local function short(id, field)
  return call('HSTRLEN', idoit.key(c, id), field) <= LONG and call('HGET', idoit.key(c, id), field) or ''
end
local function there(id)
  local length = redis.pcall('HSTRLEN', idoit.key(c, id), 'name')
  return type(length) == 'number' and length > 0
end
if not there(arg_root) then return {GONE} end
local most, ids, at, more = tonumber(arg_most), {arg_root}, 1, 0
local ended = tonumber(call('ZSCORE', idoit.key(c, 'finished'), arg_root) or '0')
if ended > 0 then ended = ended - (tonumber(short(arg_root, 'removeDelay')) or 0) end
local out = {OK, now, more, ended}
local seen, listed = {[arg_root] = true}, 0
local function append_children(id)
  if #ids >= most then
    more = 1
    return
  end
  local live, below_it = idoit.key(c, 'ichunks:' .. id), nil
  local members = call('SCARD', live)
  listed = listed + call('HSTRLEN', idoit.key(c, id), 'children') + members * 32
  if listed > LISTS_BYTES or members > MEMBERS then
    more = 1
    return
  end
  below_it = idoit.decoded(call('HGET', idoit.key(c, id), 'children'))
  if type(below_it) ~= 'table' then below_it = call('SMEMBERS', live) end
  for i = 1, #below_it do
    local child = tostring(below_it[i])
    if #ids >= most then more = 1 elseif not seen[child] then
      seen[child] = true
      ids[#ids + 1] = child
    end
  end
end
while ids[at] do
  local id = ids[at]
  at = at + 1
  if there(id) then
    append_children(id)
    for _, value in ipairs({id, short(id, 'name'), short(id, 'state'), short(id, 'progress') .. '/' .. short(id, 'total'),
      short(id, 'retries'), short(id, 'quiver'), call('HEXISTS', idoit.key(c, id), 'error') == 1
        and (call('HSTRLEN', idoit.key(c, id), 'error') <= LONG * 8 and call('HGET', idoit.key(c, id), 'error') or '{}') or ''}) do
      out[#out + 1] = value
    end
  end
end
out[3] = more
return out
