-- What becomes of tasks, told to programs that follow it by task/events. The stream is there while somebody follows, and
-- then each event is an entry of it, written in the step that makes it true. Else nothing is written.
-- KEYS events: stream of what became of tasks
-- KEYS meta: hash of the keyspace (events, the number of the last one)
-- MODULE events
-- USES task/nodes
events.PLANNED, events.EXECUTED, events.FAILED = 'planned', 'executed', 'failed'
-- Entries; bytes of all, and of an outcome that stands in an entry. Small ones need no measure beside their number, and are
-- written where Redis may have no memory.
local MOST, MOST_BYTES, MOST_OUTCOME, SMALL = 100000, 67108864, 4096, 256
local ASK = '?' -- in place of an outcome that is too large, or refers to other nodes
local JSON, ERROR = 74, 69 -- J E
-- Whether anybody follows.
function events.are_followed(c)
  if c.followed == nil then c.followed = call('TYPE', c.key_events).ok == 'stream' end
  return c.followed
end
local function keep_small(c)
  if call('MEMORY', 'USAGE', c.key_events, 'SAMPLES', 4) > MOST_BYTES then
    call('XTRIM', c.key_events, 'MAXLEN', '~', math.floor(call('XLEN', c.key_events) / 2))
  end
end
-- outcome: a result or an error as it is stored; nothing where it has none
function events.tell(c, kind, n, outcome)
  if not events.are_followed(c) then return end
  local text, first = outcome or '', outcome and string.byte(outcome)
  if first and (#text > (c.no_room and SMALL or MOST_OUTCOME) or first ~= JSON and first ~= ERROR) then text = ASK end
  local number = redis.pcall('HINCRBY', c.key_meta, 'events', 1)
  local added = type(number) == 'number' and redis.pcall('XADD', c.key_events, 'MAXLEN', '~', MOST, '*', 'number', number,
    'kind', kind, 'id', n.id, 'handler', nodes.function_of(n), 'outcome', text)
  if type(added) ~= 'string' then -- a tenant has written what takes no more: no task is to wait for that, and followers are told
    call('UNLINK', c.key_events)
    call('HDEL', c.key_meta, 'events')
    c.followed = false
  elseif #text > SMALL then
    keep_small(c)
  end
end
