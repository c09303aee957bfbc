-- Names the tasks that a worker has to stop: they or an ancestor have ended, or are suspended.
-- Guarantee: reads only. A task that is gone is named, too.
-- FLAGS no-writes
-- ARGV ids...: running leaves and iterators
-- RETURNS {OK, ids...}
-- INCLUDE task/records
local ids, out = {}, {OK}
for i = arg_ids, #ARGV do ids[#ids + 1] = ARGV[i] end
load(ids)
for i = 1, #ids do
  local n = node(ids[i])
  local lives, suspended = false, nil
  if n and not over(n) then lives, suspended = alive(n) end
  if not lives or suspended then out[#out + 1] = ids[i] end
end
return out
