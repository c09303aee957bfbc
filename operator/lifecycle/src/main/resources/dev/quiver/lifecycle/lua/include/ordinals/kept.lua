-- What a source keeps of its tasks where it has the field `keeps`: their results until somebody reads them, and
-- combines of them. The tasks 0 … count - 1 are the source's own. Behind them stand the combines, level by level: each
-- takes the results of `fan_in` neighbours, in order, and its own takes their place, so that one is left at the end. A
-- combine's id follows from its place and is stored nowhere. It becomes a task when the last of its children ends;
-- `left` does not count it before. Whatever is given up without `skips` ends the source. The functions change the
-- source's fields bytes, skipped_count, combines_done, combines_run and left, its `ripe` (ids to be queued) and
-- `broken` (why it ends).
-- MODULE kept
-- USES common/decimal
-- KEYS results: id to result, of a source that keeps them
-- KEYS combines: id of a combine to how many of its children have ended
-- KEYS skipped: tasks that were given up, by their ids
local MOST_SKIPPED, MOST_FAN_IN, MOST_EXACT = 10000, 256, 9007199254740991
local CHILDREN = 131072 -- that a script looks at, of all combines
local function counts(number) return number and number >= 0 and number <= MOST_EXACT and number % 1 == 0 end
-- Reads the fields of a source, also of one that keeps nothing. Answers an error where they make no sense.
function kept.open(c, source)
  source.ripe, source.broken, source.children_left = {}, nil, CHILDREN
  if not source.keeps then return nil end
  local skips, node, next_pool, fan_in, combine_trials, results_size, bytes, skipped_count, combines_done, combines_run =
    unpack(call('HMGET', c.key_source, 'skips', 'node', 'next_pool', 'fan_in', 'combine_trials', 'results_size', 'bytes',
      'skipped_count', 'combines_done', 'combines_run'))
  source.skips, source.node, source.next_pool = skips, node, next_pool
  source.fan_in, source.combine_trials = tonumber(fan_in), tonumber(combine_trials)
  source.results_size, source.bytes = tonumber(results_size), tonumber(bytes)
  source.skipped_count, source.combines_done, source.combines_run = tonumber(skipped_count), tonumber(combines_done), tonumber(combines_run)
  if not (counts(source.fan_in) and source.fan_in ~= 1 and source.fan_in <= MOST_FAN_IN and counts(source.combine_trials)
    and counts(source.results_size) and counts(source.bytes) and counts(source.skipped_count) and counts(source.combines_done)
    and counts(source.combines_run) and counts(source.count) and node and next_pool) then
    return redis.error_reply('ERR ' .. c.key_source .. ' has numbers of its combines that make no sense')
  end
end
-- The number of a task, nil for what is none.
function kept.number(source, id)
  local number = #id <= 15 and tonumber(string.match(id, '^%d+$'))
  return number and number < 2 * source.count + 64 and number or nil
end
local function level_of(source, id) -- base and size of its level, and of the level below
  local base, size, below, below_size = 0, source.count, 0, 0
  while source.fan_in > 1 and id >= base + size and size > 1 do
    below, below_size = base, size
    base, size = base + size, math.ceil(size / source.fan_in)
  end
  return base, size, below, below_size
end
local function children_of(source, combine) -- the first one and how many
  local base, _, below, below_size = level_of(source, combine)
  local first = (combine - base) * source.fan_in
  return below + first, math.min(source.fan_in, below_size - first)
end
local function ended_child(c, source, id) -- counts it, and makes a combine ripe with its last child
  local base, size = level_of(source, id)
  if source.fan_in == 0 or size == 1 then return end
  local combine = base + size + math.floor((id - base) / source.fan_in)
  local first, children = children_of(source, combine)
  if children > 1 then
    if call('HINCRBY', c.key_combines, decimal.of(combine), 1) < children then return end
    call('HDEL', c.key_combines, decimal.of(combine))
  end
  local there, last = children, first
  if source.skipped_count > 0 then
    there = 0
    source.children_left = source.children_left - children
    if source.children_left < 0 then
      source.broken = {reason = 'ResultsTooLarge', message = 'too many results are combined at once'}
      return
    end
    for child = first, first + children - 1 do
      if call('HEXISTS', c.key_results, decimal.of(child)) == 1 then there, last = there + 1, child end
    end
  end
  if there > 1 then
    source.left = source.left + 1
    source.ripe[#source.ripe + 1] = decimal.of(combine)
    return
  end
  source.combines_done = source.combines_done + 1
  if there == 1 then -- nothing to combine: it moves up
    local result = call('HGET', c.key_results, decimal.of(last))
    if result then call('HSET', c.key_results, decimal.of(combine), result) end
    call('HDEL', c.key_results, decimal.of(last))
  end
  ended_child(c, source, combine)
end
-- Keeps a result. One that passes the bound of all results ends the source.
function kept.keep(c, source, id, data)
  local first, children, freed = nil, 0, 0
  if id >= source.count then
    first, children = children_of(source, id)
    source.children_left = source.children_left - children
    if children < 1 or source.children_left < 0 then
      source.broken = {reason = 'ResultsTooLarge',
        message = 'combine ' .. decimal.of(id - source.count) .. ' has no children, or too many'}
      return
    end
    for child = first, first + children - 1 do freed = freed + call('HSTRLEN', c.key_results, decimal.of(child)) end
  end
  local sum = source.bytes - freed + #data
  if sum > source.results_size then
    source.broken = {reason = 'ResultsTooLarge', message = 'the results take ' .. sum .. ' bytes, at most '
      .. decimal.of(source.results_size) .. ' are kept: combine them, write them to scratch, or return less'}
    return
  end
  source.bytes = sum
  call('HSET', c.key_results, decimal.of(id), data)
  if first then
    local ids = {}
    for child = first, first + children - 1 do ids[#ids + 1] = decimal.of(child) end
    call('HDEL', c.key_results, unpack(ids))
    source.combines_done, source.combines_run = source.combines_done + 1, source.combines_run + 1
  end
  ended_child(c, source, id)
end
-- A task ended without passing. text: the failure as JSON.
function kept.give_up(c, source, id, text)
  if source.skips == '1' and id < source.count then
    source.skipped_count = source.skipped_count + 1
    if source.skipped_count <= MOST_SKIPPED then call('ZADD', c.key_skipped, id, decimal.of(id)) end
    return ended_child(c, source, id)
  end
  if source.broken then return end
  local ok, failure = pcall(cjson.decode, text)
  local known = ok and type(failure) == 'table'
  source.broken = {reason = id < source.count and 'ChunksFailed' or 'CombineFailed',
    message = (id < source.count and 'chunk ' .. decimal.of(id) or 'combine ' .. decimal.of(id - source.count)) .. ' failed: '
      .. (known and tostring(failure.reason) .. ': ' .. tostring(failure.message) or text)}
end
-- Writes what changed. The source that ends early needs its results no more.
function kept.write(c, source)
  call('HSET', c.key_source, 'bytes', source.bytes, 'skipped_count', source.skipped_count, 'combines_done', source.combines_done,
    'combines_run', source.combines_run)
  if source.broken then call('UNLINK', c.key_results, c.key_combines) end
end
