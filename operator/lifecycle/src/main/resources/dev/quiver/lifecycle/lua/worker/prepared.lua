-- Records how a worker got ready for runs. Guarantee: only for a live session, and only as far as there is room. The reader
-- takes all entries of one worker and run as one, so a repeat changes nothing.
-- FOR worker
-- FLAGS
-- KEYS sessions: live sessions
-- KEYS meta: hash of the keyspace (history_bytes, history_most)
-- ARGV session: id of the session
-- ARGV told...: 0..1024; uid of a run, and the worker's entry behind one byte, in turn
-- RETURNS {OK} | {FENCED}
-- USES common/now history/record
if not call('ZSCORE', key_sessions, arg_session) then return {FENCED} end
if record.level(c) < record.FULL then
  for i = arg_told, #ARGV - 1, 2 do
    record.append(c, 'k', 'w', 'u', ARGV[i], 't', now, 's', arg_session, 'b', record.body(ARGV[i + 1]))
  end
end
return {OK}
