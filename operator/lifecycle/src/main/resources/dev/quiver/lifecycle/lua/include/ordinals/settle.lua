-- A part of step: counts each settlement whose claim the session still holds, and queues what is to run again. Changes
-- the source's fields that step has read, writes its queue, and leaves `verdicts`, `released` (ids) and `cancelled` (places
-- of those that were held until now, and count nothing).
-- USES ordinals/trouble ordinals/sample
local MOST_PROMOTED, MOST_MS = 256, 1e14
local may_have_trouble = trials > succeeded_count or lost_count > 0
local verdicts, released, cancelled, decided, passed, again, later = {}, {}, {}, {}, {}, {}, {}
for i = 0, settles - 1 do
  local at = arg_rows + i * 5
  local id, prefix, kind, ms = ARGV[at], ARGV[at + 1] .. '@', ARGV[at + 2], tonumber(ARGV[at + 3])
  if not ms or ms % 1 ~= 0 or ms < 0 or ms > MOST_MS then ms = 0 end
  local entry = entries[i + 2]
  if not entry or string.sub(entry, 1, #prefix) ~= prefix or keeps and not numbered(id) then
    verdicts[i + 1] = ended and 'v' or 'a'
  elseif ended then
    verdicts[i + 1] = 'v'
    released[#released + 1] = id
    cancelled[#cancelled + 1] = i + 1
  elseif kind == 'm' then
    verdicts[i + 1] = 'c'
    call('HSET', key_held, id, prefix .. ARGV[at + 4])
  else
    verdicts[i + 1] = 'c'
    released[#released + 1] = id
    if kind == 'p' then
      trials, run_ms, passed_ms = trials + 1, run_ms + ms, passed_ms + ms
      succeeded_count, left = succeeded_count + 1, left - 1
      decided[#decided + 1], passed[#passed + 1] = id, id
      if keeps then keep(tonumber(id), ARGV[at + 4]) end
    elseif kind ~= 'r' then
      local tries, lost = trouble.parse(call('HGET', key_trouble, id))
      if kind == 'l' then
        lost, lost_count = lost + 1, lost_count + 1
      else
        tries, trials, run_ms = tries + 1, trials + 1, run_ms + ms
      end
      local most = keeps and tonumber(id) >= count and fold_trials or max_trials
      if kind == 'x' or tries >= most or trouble.lost_too_often(lost, max_lost) then
        failed_count, left = failed_count + 1, left - 1
        decided[#decided + 1] = id
        call('HDEL', key_trouble, id)
        ended_samples = sample.add(key_failures, id, 'F', ARGV[at + 4], ended_samples)
        if keeps then give_up(tonumber(id), ARGV[at + 4]) end
      else
        verdicts[i + 1] = 't'
        local delay = string.match(kind, '^d(%d+)$')
        if delay and #delay <= 14 then
          later[#later + 1], later[#later + 2] = now + tonumber(delay), id
        else
          again[#again + 1] = id
        end
        call('HSET', key_trouble, id, tries .. ':' .. lost)
        sample.add(key_failures, id, 'R', ARGV[at + 4], ended_samples)
      end
    else
      again[#again + 1] = id
    end
  end
end
if #released > 0 then
  call('HDEL', key_held, unpack(released))
  if not ended then running = running - #released end
end
if #passed > 0 and may_have_trouble and call('HDEL', key_trouble, unpack(passed)) > 0 then
  call('HDEL', key_failures, unpack(passed))
end
if #decided > 0 and fed == '1' then call('HDEL', key_payload, unpack(decided)) end
for i = 1, #ripe do again[#again + 1] = ripe[i] end
if #again > 0 then
  local front = {}
  for i = #again, 1, -1 do front[#front + 1] = again[i] end
  call('LPUSH', key_task_queue, unpack(front))
end
if #later > 0 then
  call('ZADD', key_source_delayed, unpack(later))
  delayed = delayed + #later / 2
end
if delayed > 0 then delayed = delayed - promote(MOST_PROMOTED) end
