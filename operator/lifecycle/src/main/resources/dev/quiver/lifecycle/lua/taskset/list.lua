-- Brings a page of the list that the program of a source wrote. Guarantee: only the session whose claim runs the program
-- may; the first page begins the list anew; a repeat writes the same page.
-- FOR worker
-- FLAGS
-- KEYS sessions: live sessions
-- KEYS session: hash of this session
-- KEYS source: hash of the program's own source
-- KEYS held: what this session holds of it
-- KEYS pages: hash: number of a page to its text
-- ARGV session: id of the session
-- ARGV executed: 0..9007199254740992; calls of the session that it knows to be executed
-- ARGV id: id of the task
-- ARGV fence: 0..9007199254740992; call number of its claim
-- ARGV page: 0..8192; number of the page
-- ARGV text: whole lines, at most 327680 bytes
-- RETURNS {OK, executed} | {STALE} when the task is not the session's | {FENCED} | {GONE} when the source is not there or
--   has ended
-- USES worker/sessions
local MOST_PAGES, MOST_BYTES = 8192, 327680
local refusal, executed = sessions.refusal(c)
if refusal then return refusal end
-- FIELDS source: status
if source.status ~= 'running' and source.status ~= 'suspended' then return {GONE} end
local held, prefix = call('HGET', key_held, arg_id), arg_fence .. '@'
if not held or string.sub(held, 1, #prefix) ~= prefix then return {STALE} end
local page = tonumber(arg_page)
if not page or page < 0 or page >= MOST_PAGES or #arg_text > MOST_BYTES then
  return redis.error_reply('ERR taskset/list: a page is out of bounds')
end
if page == 0 then call('UNLINK', key_pages) end
call('HSET', key_pages, arg_page, arg_text)
return {OK, executed}
