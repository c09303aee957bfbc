-- Jobs of map-reduce programs under a granted prefix. A job is a hash at <prefix><type>:<id>, and that key is its name in every
-- set. Its chunks are hashes at <job>:<number>. So the keys are named by what is read, and cannot be declared: no prefix is
-- granted on a Redis Cluster. Additions to a hash are quiver_lock, quiver_lost, quiver_fate and, of a job that Quiver made, quiver (when
-- it may begin,
-- ms), quiver_chunks (how many map made) and quiver_error. How such a job ended is a text in the own keyspace, a line each:
-- word, time, when it might begin, chunks, those that were done, and the rest its result or error.
-- ARGV prefix: that is granted. It is no key: Redis would refuse the call of a session whose grant was taken away, which
--   has to be told so
-- MODULE jobs
-- USES common/now common/decimal
local CHUNKS = 300000 -- that a script removes
function jobs.open(c) c.chunks_left = CHUNKS end
jobs.LOOK = 64
function jobs.key(c, name) return c.arg_prefix .. name end
function jobs.chunks(job, set) return job .. ':chunks:' .. set end
-- Other programs write under the prefix, and so may a tenant: a key of another type has nothing in it.
function jobs.ask(empty, ...)
  local reply = redis.pcall(...)
  return type(reply) == 'table' and reply.err and empty or reply
end
function jobs.natural(text) return math.min(math.max(0, math.floor(tonumber(text or '0') or 0)), 1000000) end
function jobs.natural_time(text) return math.max(0, math.floor(tonumber(text or '0') or 0)) end
function jobs.add_try(key, by) call('HSET', key, 'retries', jobs.natural(call('HGET', key, 'retries')) + by) end
-- What a script knows of a job; nothing where the key is no job, or would lead away from the prefix.
function jobs.read(c, key)
  local v = string.sub(key, 1, #c.arg_prefix) == c.arg_prefix
    and jobs.ask(false, 'HMGET', key, 'type', 'retries', 'state', 'quiver')
  if not v or not v[1] or not v[3] then return nil end
  local start = jobs.key(c, v[1]) .. ':'
  if string.sub(key, 1, #start) ~= start then return nil end
  return {key = key, type = v[1], retries = jobs.natural(v[2]), state = v[3], own = v[4]}
end
-- A set beyond the bound goes alone: no job of ours has so many chunks, and what it names is the tenant's own.
function jobs.empty_set(c, job, set)
  local of, names = jobs.chunks(job, set), nil
  c.chunks_left = c.chunks_left - math.max(jobs.ask(0, 'SCARD', of), jobs.ask(0, 'ZCARD', of))
  if c.chunks_left < 0 then
    names = {}
  elseif set == 'active' or set == 'errored' then
    names = jobs.ask({}, 'ZRANGE', of, 0, -1)
  else
    names = jobs.ask({}, 'SMEMBERS', of)
  end
  for i = 1, #names do
    if string.match(string.sub(names[i], #job + 1), '^:%d+$') then call('UNLINK', names[i]) end
  end
  call('UNLINK', of)
end
function jobs.forget(c, job) -- in one script, whatever its size, as other programs do it
  call('SREM', jobs.key(c, 'pending'), job)
  call('ZREM', jobs.key(c, 'mapping'), job)
  call('SREM', jobs.key(c, 'aggregating'), job)
  call('ZREM', jobs.key(c, 'reducing'), job)
  for _, set in ipairs({'pending', 'active', 'errored', 'done'}) do jobs.empty_set(c, job, set) end
  call('UNLINK', job)
end
-- Before the keys of a job go. `hash` has its fields.
function jobs.note_end(c, ends, job, hash, word, text)
  local began, made = unpack(jobs.ask({}, 'HMGET', hash, 'quiver', 'quiver_chunks'))
  call('HSET', ends, job, table.concat({word, decimal.of(c.now), decimal.of(jobs.natural_time(began)), decimal.of(jobs.natural(made or '0')),
    decimal.of(jobs.ask(0, 'SCARD', jobs.chunks(job, 'done'))), text}, '\n'))
end
function jobs.all_done(job)
  return jobs.ask(0, 'SCARD', jobs.chunks(job, 'pending')) == 0 and jobs.ask(0, 'ZCARD', jobs.chunks(job, 'active')) == 0
    and jobs.ask(0, 'ZCARD', jobs.chunks(job, 'errored')) == 0
end
