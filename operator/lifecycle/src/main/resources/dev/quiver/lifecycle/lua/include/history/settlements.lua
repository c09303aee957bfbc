-- Records what a step settled, as far as there is room.
-- ARGV history: rows of the settlements behind one byte, empty where none is recorded
-- ARGV marks: a letter for each settlement: r has a row, k has the row of a task that was called off, which counts nothing,
--   x was left out for want of room, - needs no row, a full stop is of no recorded run; or empty. R, K, X and + are the same
--   of tasks of the source itself, which the record knows by their names
-- ARGV age: 0..100000000000000; ms since the rows were made
-- MODULE settlements
-- USES common/now history/record worker/settling
settlements.CANCELLED = 'k' -- stands for the verdict of a task that was called off while it was held
settlements.SUPERSEDED = 's' -- the same of a task that another worker finished first
local TOLD = '[ctks]' -- counted, retried, and these two
-- letters: the verdicts, and k for a task that was held until now, and of which nothing counts since its run ended first.
-- Answers the level of the stream. missed: called with the place of each settlement that counts and stands in no row for
-- want of room.
function settlements.record(c, uid, source, letters, missed)
  local level = record.level(c)
  if level == record.OFF then return level end
  local written = level < record.FULL and string.find(c.arg_marks, '[rkRK]') and string.find(letters, TOLD)
  if level == record.FULL or string.find(c.arg_marks, '[xX]') then
    for i = 1, math.min(#c.arg_marks, #letters) do
      local mark, letter = string.sub(c.arg_marks, i, i), string.sub(letters, i, i)
      mark = string.lower(mark)
      if (mark == 'x' or mark == 'r' and level == record.FULL) and (letter == settling.COUNTED or letter == settling.RETRIED) then missed(i) end
    end
  end
  if written then
    record.append(c, 'k', 't', 'u', uid, 't', string.format('%.0f', c.now - tonumber(c.arg_age)), 'q', source,
      's', c.arg_session, 'c', c.arg_call, 'v', letters, 'r', record.body(c.arg_history))
  end
  return level
end
