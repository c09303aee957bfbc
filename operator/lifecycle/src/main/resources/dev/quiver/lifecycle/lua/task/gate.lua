-- Closes or opens a resource of a pool for an owner. Guarantee: idempotent; an owner opens only what it closed itself, but for
-- `open_all`; classes of waiting tasks follow, a page in this call and the others by commands. The owners `spec`, `tasks`
-- and `probe` are not for programs.
-- FOR operator, client
-- FLAGS
-- ARGV owner: its name, 1 to 128 printable characters without blanks
-- ARGV resource: its name, or a pattern; the same form
-- ARGV what: close | open | open_all
-- ARGV ms: empty or 1..100000000000000; after which the closing ends; empty for none
-- RETURNS {OK, changed: 1 or 0, commands...: that may run now} | {TOO_LARGE, words}
-- USES common/now task/nodes task/queue task/commands task/roots task/flow task/changes task/gates task/resources
flow.open(c, KEYS, key_pools)
local q = c.own_queue
if not q then return redis.error_reply('ERR task/gate: no pool is declared') end
if not gates.is_name(arg_owner) or arg_owner == resources.SPEC or arg_owner == resources.TASKS or arg_owner == resources.PROBE then
  return redis.error_reply('ERR task/gate: the owner has a name that makes no sense, or that no program has')
end
if not gates.is_name(arg_resource) then return redis.error_reply('ERR task/gate: the resource has a name that makes no sense') end
local changed
if arg_what == 'open' then
  changed = resources.open(c, q, arg_resource, arg_owner)
elseif arg_what == 'open_all' then
  changed = resources.open_all(c, q, arg_resource)
elseif arg_what == 'close' then
  if not gates.has_room(q, arg_resource) then
    return {TOO_LARGE, 'pool ' .. q.name .. ' has ' .. gates.MOST_NAMES .. ' names of resources, and no more'}
  end
  changed = resources.close(c, q, arg_resource, arg_owner, tonumber(arg_ms))
  if changed == nil then
    return {TOO_LARGE, arg_resource .. ' of pool ' .. q.name .. ' is closed by ' .. gates.MOST_CLOSERS .. ' owners, and by no more'}
  end
else
  return redis.error_reply('ERR task/gate: what is none of close, open and open_all')
end
local out, soon = {OK, changed and 1 or 0}, changes.write(c)
for i = 1, #soon do out[#out + 1] = soon[i] end
return out
