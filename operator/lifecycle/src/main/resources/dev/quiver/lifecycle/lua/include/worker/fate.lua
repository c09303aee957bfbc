-- What became of a session's pod, or of the container in it, for people.
-- MODULE fate
-- USES common/now
local MOST_BYTES = 512
-- Words that stand in JSON as they are: printable ASCII without quotes. Empty where there are too many: a tenant wrote them.
function fate.clean(words) return #words <= MOST_BYTES and (string.gsub(words, '[^ !#-[^-~%]]', '?')) or '' end
-- The words of a field, or none.
local function read(key, field)
  return call('HSTRLEN', key, field) <= MOST_BYTES + 24 and call('HGET', key, field) or ''
end
-- What became of the pod, as the operator noted it.
function fate.of(session) return fate.clean(read(session, 'fate')) end
-- How the container ended, where the operator noted it within the last `ago` ms.
function fate.of_container(c, session, ago)
  local at, words = string.match(read(session, 'container_end'), '^(%d+) (.*)$')
  return at and tonumber(at) >= c.now - ago and fate.clean(words) or nil
end
-- Kept with a task of another program, until it is known whether it ends by its losses. Without words the loss has no
-- explanation, and that of an earlier loss goes.
function fate.keep(task, words)
  words = fate.clean(words)
  if words == '' then call('HDEL', task, 'quiver_fate') else call('HSET', task, 'quiver_fate', words) end
end
-- The rest of a sentence on a task's losses.
function fate.last(words) return words == '' and '' or '; the last time ' .. words end
function fate.last_kept(task)
  local words = redis.pcall('HSTRLEN', task, 'quiver_fate')
  return type(words) == 'number' and words <= MOST_BYTES and fate.last(fate.clean(call('HGET', task, 'quiver_fate') or '')) or ''
end
