-- Words on a key that is too large to be read, nothing on one that is not. Tenants write what is read here, so it is
-- measured before any of it is copied.
-- MODULE bounds
function bounds.hash(key, most, most_bytes)
  local entries = call('HLEN', key)
  if entries > most then return key .. ' has ' .. entries .. ' entries, at most ' .. most .. ' are read' end
  local bytes = entries > 0 and call('MEMORY', 'USAGE', key, 'SAMPLES', 0) or 0
  if bytes > most_bytes then
    return key .. ' takes ' .. string.format('%.0f', bytes) .. ' bytes, at most ' .. most_bytes .. ' are read'
  end
  return nil, bytes
end
-- The same of some fields of a hash.
local NAMES_BYTES = 4096
function bounds.fields(key, ...)
  local bytes = 0
  for _, name in ipairs({...}) do bytes = bytes + call('HSTRLEN', key, name) end
  if bytes > NAMES_BYTES then
    return key .. ' has fields of ' .. bytes .. ' bytes, at most ' .. NAMES_BYTES .. ' are read'
  end
end
-- The same of the first members of a set or sorted set with so many entries. `beside` is what its table may take that was
-- made for more entries than it has now.
local MEMBER_BYTES = 256
function bounds.members(key, entries, first, beside)
  local bytes = entries > 0 and call('MEMORY', 'USAGE', key, 'SAMPLES', first) or 0
  if bytes > entries * MEMBER_BYTES + beside then
    return key .. ' takes ' .. string.format('%.0f', bytes) .. ' bytes for ' .. entries .. ' members, at most '
      .. MEMBER_BYTES .. ' each are read'
  end
end
-- The same of all members.
function bounds.whole(key, entries, most, beside)
  if entries > most then return key .. ' has ' .. entries .. ' entries, at most ' .. most .. ' are read' end
  return bounds.members(key, entries, 0, beside)
end
