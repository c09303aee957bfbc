-- Notes that the volume of the record has less room than the record may take, or that it has enough. Guarantee: idempotent;
-- a note that is not repeated counts for ten minutes (history/backlog).
-- FOR history
-- FLAGS allow-oom
-- KEYS meta: hash of the keyspace (record_room)
-- ARGV wanted: 0..9007199254740992; bytes that the record may take; 0 takes the note back
-- ARGV room: 0..9007199254740992; bytes that there are
-- RETURNS {OK}
-- USES common/now
if arg_wanted ~= '0' then
  call('HSET', key_meta, 'record_room', arg_wanted .. ' ' .. arg_room .. ' ' .. string.format('%.0f', now))
elseif call('HSTRLEN', key_meta, 'record_room') > 0 then
  call('HSET', key_meta, 'record_room', '')
end
return {OK}
