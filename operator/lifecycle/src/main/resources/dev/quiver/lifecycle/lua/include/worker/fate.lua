-- What became of a session's pod, as the operator noted it: printable ASCII without quotes, so that it may stand in JSON.
-- A tenant may have written it.
-- MODULE fate
function fate.of(session)
  if call('HSTRLEN', session, 'fate') > 512 then return '' end
  return (string.gsub(call('HGET', session, 'fate') or '', '[^ !#-[^-~%]]', '?'))
end
