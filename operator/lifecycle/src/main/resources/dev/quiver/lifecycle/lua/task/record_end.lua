-- Ends the record of a tree's run: writes its numbers, and forgets them. Guarantee: once, with the command that asks for
-- it, also behind the tree itself.
-- FOR operator, worker
-- FLAGS allow-oom
-- KEYS records: tree to the time at which its record began, and its counters
-- KEYS roots: tree to facts of the whole
-- KEYS commands: commands on trees
-- KEYS results: id to result or error
-- KEYS meta: hash of the keyspace (history_bytes, history_most)
-- ARGV command: as read
-- ARGV tree: its id, or the run of a pool's queue in an hour
-- ARGV ends...: 0..1024; entries with how its nodes ended, each behind one byte; the first 64
-- RETURNS {OK, taken: 1 when this call took the command}
-- USES common/now task/nodes history/record
local ERROR_OF_NODE = 33 -- !
local NOT_FAILED = {Cancelled = true, AlreadyQueued = true, Replaced = true} -- by another's will
nodes.open(c)
if call('ZREM', key_commands, arg_command) == 0 then return {OK, 0} end
local fields = {arg_tree}
for _, letter in ipairs({'s', 'f', 't', 'l', 'm', 'x'}) do fields[#fields + 1] = arg_tree .. ' ' .. letter end
local values = call('HMGET', key_records, unpack(fields))
if not values[1] then return {OK, 1} end
call('HDEL', key_records, unpack(fields))
if record.level(c) == record.OFF then return {OK, 1} end
local n, facts = nodes.get(c, arg_tree), call('HGET', key_roots, arg_tree) or ''
local words = {}
for word in string.gmatch(facts, '([^\t]*)\t') do words[#words + 1] = word end
local last = n and words[4] and words[4] ~= '' and nodes.get(c, arg_tree .. '.' .. words[4])
local status, reason, message = 'cancelled', 'Deleted', ''
if string.sub(arg_tree, 1, 6) == 'queue:' then status, reason = 'succeeded', 'HourEnded' end
local function number(text) return string.match(text or '', '^%d+$') or '0' end
local s, f = number(values[2]), number(values[3])
if n and n.state == nodes.FINISHED and not (last and last.state == nodes.FAILED) then
  status, reason = 'succeeded', 'AllTasksSucceeded'
  if f ~= '0' then -- its onChildError lets it go on
    reason = 'SomeTasksFailed'
    message = f .. ' of ' .. string.format('%.0f', s + f) .. ' tasks failed, and the tree went on without them'
  end
elseif n and (n.state == nodes.FAILED or last) then
  local id = n.state == nodes.FAILED and arg_tree or last.id
  local text = call('HGET', key_results, id)
  if text and string.byte(text) == ERROR_OF_NODE then
    text = call('HGET', key_results, arg_tree .. '.' .. string.sub(text, 2))
  end
  local ok, error = pcall(cjson.decode, text and string.sub(text, 2) or '')
  if ok and type(error) == 'table' and error.reason then
    status = NOT_FAILED[error.reason] and not error.trial and 'cancelled' or 'failed'
    reason, message = tostring(error.reason), tostring(error.message or '')
  elseif text then
    status, reason = 'failed', 'TaskFailed'
  end
end
if record.level(c) < record.FULL then
  for i = arg_ends, math.min(#ARGV, arg_ends + 63) do
    record.append(c, 'k', 'n', 'u', arg_tree, 't', now, 'b', record.body(ARGV[i]))
  end
end
local began = words[7] and string.match(words[7], '^%d+$') or number(values[1])
record.append(c, 'k', 'e', 'u', arg_tree, 't', now, 'z', status, 'q', record.cut(reason, 64), 'm', record.cut(message, 1024),
  'a', began, 'c', string.format('%.0f', s + f) .. ' ' .. s .. ' 0 ' .. f .. ' ' .. number(values[4]) .. ' '
    .. number(values[5]) .. ' ' .. number(values[6]) .. ' ' .. number(values[7]))
return {OK, 1}
