-- What the session holds of what it settles, and its last call at this source: after it left, only the number of that call is
-- known. `last_verdicts` is there where this call was done before. Rows of settlements have five columns.
-- Uses settles, key_session, key_held, key_source_sessions, arg_session, arg_call, arg_rows.
local this_call, asked = tonumber(arg_call), {'#'}
for i = 0, settles - 1 do asked[i + 2] = ARGV[arg_rows + i * 5] end
local entries = call('HMGET', key_held, unpack(asked))
local member = call('ZSCORE', key_source_sessions, arg_session) and true or false
local last_call, last_verdicts
if entries[1] then
  last_call, last_verdicts = string.match(entries[1], '^(%d+)(.*)$')
  last_call = tonumber(last_call or '0')
else
  last_call = tonumber(call('HGET', key_session, 'floor') or '0') or 0
end
if this_call < last_call or (this_call == last_call and not last_verdicts) then return {STALE} end
