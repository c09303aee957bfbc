-- What became of the session's pod, as the operator noted it: printable ASCII without quotes, so that it may stand in JSON.
-- A tenant may have written it. Uses key_session.
local function fate()
  if call('HSTRLEN', key_session, 'fate') > 512 then return '' end
  return (string.gsub(call('HGET', key_session, 'fate') or '', '[^ !#-[^-~%]]', '?'))
end
