-- Takes entries away that the record has. Guarantee: takes none behind the given one; a repeat takes nothing and counts
-- nothing; the counter is right again whenever the stream is empty.
-- FOR history
-- FLAGS allow-oom
-- KEYS history: stream of the record
-- KEYS meta: hash of the keyspace (history_bytes)
-- ARGV last: id of the last entry that goes
-- ARGV entries: 0..9007199254740992; how many were read
-- ARGV bytes: 0..9007199254740992; what they count in history_bytes
-- RETURNS {OK, went: entries that went}
local went = call('XTRIM', key_history, 'MINID', arg_last) + call('XDEL', key_history, arg_last)
if went == 0 then return {OK, 0} end
local left = 0
if call('XLEN', key_history) > 0 then
  local counted = call('HSTRLEN', key_meta, 'history_bytes') < 32 and tonumber(call('HGET', key_meta, 'history_bytes') or '0')
  left = math.max(0, (counted or 0) - math.floor(tonumber(arg_bytes) * math.min(1, went / tonumber(arg_entries))))
  if left ~= left then left = 0 end
end
call('HSET', key_meta, 'history_bytes', string.format('%.0f', left))
return {OK, went}
