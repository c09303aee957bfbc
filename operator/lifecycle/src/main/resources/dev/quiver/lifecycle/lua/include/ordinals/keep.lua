-- What a source keeps of its tasks where it has the field `keeps`: their results until somebody reads them, and folds of
-- them. The tasks 0 … count - 1 are the source's own. Behind them stand the folds, level by level: each takes the results
-- of `fan_in` neighbours, in order, and its own takes their place, so that one is left at the end. A fold's id follows from
-- its place and is stored nowhere. It becomes a task when the last of its children ends; `left` does not count it before.
-- Whatever is given up without `skips` ends the source. Changes the source's fields bytes, skipped_count, folds_done,
-- folds_run, left, and leaves `ripe` (ids to be queued) and `broken` (why the source ends).
-- Uses key_source, keeps, count, left.
-- KEYS results: id to result, of a source that keeps them
-- KEYS folds: id of a fold to how many of its children have ended
-- KEYS skipped: tasks that were given up, by their ids
local MOST_SKIPPED, MOST_FAN_IN = 10000, 256
local children_left = 131072 -- that a script looks at, of all folds
local ripe, broken = {}, nil
local skips, tree_node, next_pool, fan_in, fold_trials, results_size, bytes, skipped_count, folds_done, folds_run
if keeps then
  skips, tree_node, next_pool, fan_in, fold_trials, results_size, bytes, skipped_count, folds_done, folds_run =
    unpack(call('HMGET', key_source, 'skips', 'node', 'next_pool', 'fan_in', 'fold_trials', 'results_size', 'bytes',
      'skipped_count', 'folds_done', 'folds_run'))
  fan_in, fold_trials = tonumber(fan_in), tonumber(fold_trials)
  results_size, bytes = tonumber(results_size), tonumber(bytes)
  skipped_count, folds_done, folds_run = tonumber(skipped_count), tonumber(folds_done), tonumber(folds_run)
  local function counts(number) return number and number >= 0 and number <= 9007199254740991 and number % 1 == 0 end
  if not (counts(fan_in) and fan_in ~= 1 and fan_in <= MOST_FAN_IN and counts(fold_trials) and counts(results_size) and counts(bytes)
    and counts(skipped_count) and counts(folds_done) and counts(folds_run) and counts(count) and tree_node and next_pool) then
    return redis.error_reply('ERR ' .. key_source .. ' has numbers of its folds that make no sense')
  end
end
local function numbered(id) -- the number of a task, nil for what is none
  local number = #id <= 15 and tonumber(string.match(id, '^%d+$'))
  return number and number < 2 * count + 64 and number or nil
end
local function level_of(id) -- base and size of its level, and of the level below
  local base, size, below, below_size = 0, count, 0, 0
  while fan_in > 1 and id >= base + size and size > 1 do
    below, below_size = base, size
    base, size = base + size, math.ceil(size / fan_in)
  end
  return base, size, below, below_size
end
local function children_of(fold) -- the first one and how many
  local base, _, below, below_size = level_of(fold)
  local first = (fold - base) * fan_in
  return below + first, math.min(fan_in, below_size - first)
end
local function id_of(number) return string.format('%.0f', number) end
local function ended_child(id) -- counts it, and makes a fold ripe with its last child
  local base, size = level_of(id)
  if fan_in == 0 or size == 1 then return end
  local fold = base + size + math.floor((id - base) / fan_in)
  local first, children = children_of(fold)
  if children > 1 then
    if call('HINCRBY', key_folds, id_of(fold), 1) < children then return end
    call('HDEL', key_folds, id_of(fold))
  end
  local kept, last = children, first
  if skipped_count > 0 then
    kept = 0
    children_left = children_left - children
    if children_left < 0 then
      broken = {reason = 'ResultsTooLarge', message = 'too many results are folded at once'}
      return
    end
    for child = first, first + children - 1 do
      if call('HEXISTS', key_results, id_of(child)) == 1 then kept, last = kept + 1, child end
    end
  end
  if kept > 1 then
    left = left + 1
    ripe[#ripe + 1] = id_of(fold)
    return
  end
  folds_done = folds_done + 1
  if kept == 1 then -- nothing to fold: it moves up
    local result = call('HGET', key_results, id_of(last))
    if result then call('HSET', key_results, id_of(fold), result) end
    call('HDEL', key_results, id_of(last))
  end
  ended_child(fold)
end
-- Keeps a result. One that passes the bound of all results ends the source.
local function keep(id, data)
  local first, children, freed = nil, 0, 0
  if id >= count then
    first, children = children_of(id)
    children_left = children_left - children
    if children < 1 or children_left < 0 then
      broken = {reason = 'ResultsTooLarge', message = 'fold ' .. id_of(id - count) .. ' has no children, or too many'}
      return
    end
    for child = first, first + children - 1 do freed = freed + call('HSTRLEN', key_results, id_of(child)) end
  end
  local sum = bytes - freed + #data
  if sum > results_size then
    broken = {reason = 'ResultsTooLarge', message = 'the results take ' .. sum .. ' bytes, at most '
      .. id_of(results_size) .. ' are kept: combine them, write them to scratch, or return less'}
    return
  end
  bytes = sum
  call('HSET', key_results, id_of(id), data)
  if first then
    local ids = {}
    for child = first, first + children - 1 do ids[#ids + 1] = id_of(child) end
    call('HDEL', key_results, unpack(ids))
    folds_done, folds_run = folds_done + 1, folds_run + 1
  end
  ended_child(id)
end
-- A task ended without passing. text: the failure as JSON.
local function give_up(id, text)
  if skips == '1' and id < count then
    skipped_count = skipped_count + 1
    if skipped_count <= MOST_SKIPPED then call('ZADD', key_skipped, id, id_of(id)) end
    return ended_child(id)
  end
  if broken then return end
  local ok, failure = pcall(cjson.decode, text)
  local known = ok and type(failure) == 'table'
  broken = {reason = id < count and 'ChunksFailed' or 'CombineFailed',
    message = (id < count and 'chunk ' .. id_of(id) or 'fold ' .. id_of(id - count)) .. ' failed: '
      .. (known and tostring(failure.reason) .. ': ' .. tostring(failure.message) or text)}
end
-- Writes what changed. The source that ends early needs its results no more.
local function write_kept()
  call('HSET', key_source, 'bytes', bytes, 'skipped_count', skipped_count, 'folds_done', folds_done,
    'folds_run', folds_run)
  if broken then call('UNLINK', key_results, key_folds) end
end
