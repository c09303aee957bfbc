-- Finds which of some sources have ended. Guarantee: changes nothing, and copies no more than a few bytes of each.
-- FOR operator
-- FLAGS no-writes
-- KEYS states...: 0..4096; hash of each source
-- RETURNS {OK, ended...: 1 when it ended or is gone} in the order of the sources
local out = {OK}
for i = key_states, #KEYS do
  local status = call('HSTRLEN', KEYS[i], 'status') < 16 and call('HGET', KEYS[i], 'status')
  out[#out + 1] = (status == 'running' or status == 'suspended') and 0 or 1
end
return out
