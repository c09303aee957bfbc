-- Notes how far running tasks are, and names those that their worker has to stop: they or an ancestor have ended, or are
-- suspended, or a resource has gone that cancels what runs with it. Guarantee: repeating it is harmless. A task that is gone is
-- named, too.
-- FOR worker
-- FLAGS allow-oom
-- ARGV tasks...: 0..2048; of each its id, and of its share of the progress how much is done, in 1/1000000, or nothing
-- RETURNS {OK, stopped...}: ids
-- USES common/now common/decimal task/nodes task/gates task/roots task/flow task/changes
flow.open(c, KEYS, key_pools)
local ids, out, changed = {}, {OK}, false
for i = arg_tasks, #ARGV, 2 do ids[#ids + 1] = ARGV[i] end
nodes.load(c, ids)
for i = 1, #ids do
  local n, done = nodes.get(c, ids[i]), ARGV[arg_tasks + i * 2 - 1]
  local lives, suspended = false, nil
  if n and not nodes.is_over(n) and c.climbs_left <= 0 then break end -- the next call looks at the others
  if n and not nodes.is_over(n) then lives, suspended = nodes.is_alive(c, n) end
  local q = lives and n.rank and c.pools[n.pool]
  if not lives or suspended or q and gates.cancel(q, nodes.needs(n)) then
    out[#out + 1] = ids[i]
  elseif done and string.find(done, '^%d+$') and #done < 8 and n.state == nodes.LOCKED then
    local progress = math.floor(n.total * math.min(done, 1000000) / 1000000)
    if progress ~= tonumber(n.progress) then
      flow.add(c, n, 'progress', progress - n.progress)
      n.progress, changed = decimal.of(progress), true
      roots.note(c, n, n.state, 0) -- its tree has changed
      nodes.put(c, n)
    end
  end
end
if changed then changes.write(c) end
return out
