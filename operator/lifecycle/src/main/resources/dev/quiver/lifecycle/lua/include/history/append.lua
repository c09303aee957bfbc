-- Appends an entry to the record: names and values in turn. Counts its bytes, which `trim` takes off again. Uses
-- key_history, key_meta.
local HISTORY_ENTRY_BYTES = 40
local function append_history(...)
  local bytes, fields = HISTORY_ENTRY_BYTES, {...}
  for i = 1, #fields do
    fields[i] = tostring(fields[i])
    bytes = bytes + #fields[i]
  end
  call('XADD', key_history, '*', unpack(fields))
  call('HINCRBY', key_meta, 'history_bytes', bytes)
end
