-- Jobs of map-reduce programs under a granted prefix. A job is a hash at <prefix><type>:<id>, and that key is its name in every
-- set. Its chunks are hashes at <job>:<number>. So the keys are named by what is read, and cannot be declared: no prefix is
-- granted on a Redis Cluster. Additions to a hash are quiver_lock, quiver_lost and, of a job that Quiver made, quiver (when it may begin,
-- ms), quiver_chunks (how many map made) and quiver_error. How such a job ended is a text in the own keyspace, a line each:
-- word, time, when it might begin, chunks, those that were done, and the rest its result or error.
-- ARGV prefix: that is granted. It is no key: Redis would refuse the call of a session whose grant was taken away, which
--   has to be told so
local LOOK = 64
local function whole(number) return string.format('%.0f', number) end
local function wire(name) return arg_prefix .. name end
local function chunks(job, set) return job .. ':chunks:' .. set end
-- Other programs write under the prefix, and so may a tenant: a key of another type has nothing in it.
local function ask(empty, ...)
  local reply = redis.pcall(...)
  return type(reply) == 'table' and reply.err and empty or reply
end
local function natural(text) return math.min(math.max(0, math.floor(tonumber(text or '0') or 0)), 1000000) end
local function natural_time(text) return math.max(0, math.floor(tonumber(text or '0') or 0)) end
local function add_try(key, by) call('HSET', key, 'retries', natural(call('HGET', key, 'retries')) + by) end
-- What a script knows of a job; nothing where the key is no job, or would lead away from the prefix.
local function read(key)
  local v = string.sub(key, 1, #arg_prefix) == arg_prefix
    and ask(false, 'HMGET', key, 'type', 'retries', 'state', 'quiver')
  if not v or not v[1] or not v[3] then return nil end
  local start = wire(v[1]) .. ':'
  if string.sub(key, 1, #start) ~= start then return nil end
  return {key = key, type = v[1], retries = natural(v[2]), state = v[3], own = v[4]}
end
-- Chunks that a script removes. A set beyond goes alone: no job of ours has so many, and what it names is the tenant's own.
local chunks_left = 300000
local function empty_set(job, set)
  local of, names = chunks(job, set), nil
  chunks_left = chunks_left - math.max(ask(0, 'SCARD', of), ask(0, 'ZCARD', of))
  if chunks_left < 0 then
    names = {}
  elseif set == 'active' or set == 'errored' then
    names = ask({}, 'ZRANGE', of, 0, -1)
  else
    names = ask({}, 'SMEMBERS', of)
  end
  for i = 1, #names do
    if string.match(string.sub(names[i], #job + 1), '^:%d+$') then call('UNLINK', names[i]) end
  end
  call('UNLINK', of)
end
local function forget(job) -- in one script, whatever its size, as other programs do it
  call('SREM', wire('pending'), job)
  call('ZREM', wire('mapping'), job)
  call('SREM', wire('aggregating'), job)
  call('ZREM', wire('reducing'), job)
  for _, set in ipairs({'pending', 'active', 'errored', 'done'}) do empty_set(job, set) end
  call('UNLINK', job)
end
-- Before the keys of a job go. `hash` has its fields.
local function note_end(ends, job, hash, word, text)
  local began, made = unpack(ask({}, 'HMGET', hash, 'quiver', 'quiver_chunks'))
  call('HSET', ends, job, table.concat({word, whole(now), whole(natural_time(began)), whole(natural(made or '0')),
    whole(ask(0, 'SCARD', chunks(job, 'done'))), text}, '\n'))
end
local function all_done(job)
  return ask(0, 'SCARD', chunks(job, 'pending')) == 0 and ask(0, 'ZCARD', chunks(job, 'active')) == 0
    and ask(0, 'ZCARD', chunks(job, 'errored')) == 0
end
