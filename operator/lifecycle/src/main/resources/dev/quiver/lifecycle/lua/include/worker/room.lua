-- Whether a source has a task that one of its workers may take: by the texts of its hash, which a tenant may have written.
-- MODULE room
local function number(text) return tonumber(text or '') or 0 end
-- most: tasks at once, 0 or nothing for any number. offered: tasks of which a copy may run, or nothing
function room.of(left, running, delayed, most, offered)
  return (number(left) > number(running) + number(delayed) or number(offered) > 0)
    and (number(most) <= 0 or number(running) < number(most))
end
