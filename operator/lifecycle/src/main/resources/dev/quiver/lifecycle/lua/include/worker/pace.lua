-- How long the trials of a source took of late, and when it last went on: for whoever sizes its pool. For sources without an
-- end: from MOST trials on, those of before weigh half.
-- MODULE pace
local MOST, MOST_MS = 1000, 1e14
-- What a call does; nothing yet. `moved`: it gave out tasks or took some back.
function pace.open() return {trials = 0, ms = 0, moved = false} end
-- A trial has ended. A program wrote how many ms it took.
function pace.ran(did, text)
  local ms = tonumber(text)
  did.trials = did.trials + 1
  if ms and ms >= 0 and ms <= MOST_MS then did.ms = did.ms + ms end
end
-- The fields and values to write, given what the source's hash has.
function pace.fields(hash, did, now, trials, run_ms)
  if did.moved and not trials and not call('HGET', hash, 'first_at') then call('HSET', hash, 'first_at', now) end
  if did.trials == 0 then
    if did.moved then return 'progress_at', now end
    return
  end
  trials, run_ms = tonumber(trials or '') or 0, tonumber(run_ms or '') or 0
  if trials >= MOST then trials, run_ms = math.floor(trials / 2), run_ms / 2 end
  if not (trials >= 0 and trials <= MOST and run_ms >= 0 and run_ms <= MOST_MS) then trials, run_ms = 0, 0 end
  return 'progress_at', now, 'trials', trials + did.trials, 'run_ms', math.floor(run_ms + did.ms)
end
