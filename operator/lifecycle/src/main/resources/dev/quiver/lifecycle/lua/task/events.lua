-- Tells what became of tasks since a position, and has it written for so long. Guarantee: each event once and in order, or a
-- refusal where some of them are not there any longer: nobody followed for a while, or they came too fast.
-- FOR client
-- FLAGS allow-oom
-- KEYS events: stream of what became of tasks
-- KEYS meta: hash of the keyspace (events, the number of the last one)
-- ARGV position: of the last event that is known, as this script told it; empty for what comes from now on
-- ARGV most: 1..1000; events that are told
-- ARGV lease: 1..600000; ms for which events are written from now on, if nobody asks again
-- RETURNS {OK, position: of the last one that is told, events...(position, kind, id, handler, outcome)} | {GAP, position: from where events are there}.
--   Kind: planned, executed or failed. Outcome: as it is stored; nothing; or ? where it has to be asked for
-- USES common/now common/decimal
local KEPT_MS, MOST_DIGITS, KINDS = 600000, 15, {planned = true, executed = true, failed = true}
local id, known = string.match(arg_position, '^(%d+%-%d+)/(%d+)$')
if arg_position ~= '' and (not id or #arg_position > 3 * MOST_DIGITS + 2 or #known > MOST_DIGITS) then
  return redis.error_reply('ERR task/events: the position cannot be read')
end
if call('TYPE', key_events).ok ~= 'stream' then
  if call('HEXISTS', key_meta, 'events') == 0 then call('HSET', key_meta, 'events', decimal.of(now)) end -- unlike any before
  call('HINCRBY', key_meta, 'events', 1) -- for all that nobody has told
  call('XADD', key_events, '*', 'number', 0)
  call('XTRIM', key_events, 'MAXLEN', 0)
end
if call('PTTL', key_events) < tonumber(arg_lease) then call('PEXPIRE', key_events, arg_lease) end
call('XTRIM', key_events, 'MINID', '~', decimal.of(now - KEPT_MS))
local numbered = call('HGET', key_meta, 'events') or '0'
local last = #numbered <= MOST_DIGITS and tonumber(string.match(numbered, '^%d+$')) or 0
local function ending() -- the position behind all that is there
  for _, entry in ipairs(call('XREVRANGE', key_events, '+', '-', 'COUNT', 1)) do return entry[1] .. '/' .. decimal.of(last) end
  return decimal.of(now - 1) .. '-0/' .. decimal.of(last) -- what comes is later
end
if not id then return {OK, ending()} end
local out, next_one = {OK, arg_position}, tonumber(known) + 1
for _, entry in ipairs(call('XRANGE', key_events, '(' .. id, '+', 'COUNT', arg_most)) do
  local of = {}
  for i = 1, #entry[2], 2 do of[entry[2][i]] = entry[2][i + 1] end
  if tonumber(of.number) ~= next_one or not (KINDS[of.kind or ''] and of.id and of.handler and of.outcome) then -- it is not ours
    return {GAP, ending()}
  end
  out[2] = entry[1] .. '/' .. decimal.of(next_one)
  for _, value in ipairs({out[2], of.kind, of.id, of.handler, of.outcome}) do out[#out + 1] = value end
  next_one = next_one + 1
end
if #out == 2 and last ~= next_one - 1 then return {GAP, ending()} end
return out
