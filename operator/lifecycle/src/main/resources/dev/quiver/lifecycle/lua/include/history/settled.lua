-- A part of step: records what it settled, as far as there is room. Uses arg_source, arg_session, arg_call, arg_history,
-- arg_marks, arg_age, now.
-- ARGV history: rows of the settlements behind one byte, empty where none is recorded
-- ARGV marks: a letter for each settlement: r has a row, x was left out for want of room, - is not recorded; or empty
-- ARGV age: ms since the rows were made
-- Answers the level of the stream, and how many settlements that count stand in no row for want of room.
function record.settled(source, letters)
  local level, left_out = record.level(), 0
  if level == record.OFF then return level, 0 end
  local written = level < record.FULL and string.find(arg_marks, 'r', 1, true) and string.find(letters, '[ct]')
  if level == record.FULL or string.find(arg_marks, 'x', 1, true) then
    for i = 1, #arg_marks do
      local mark, letter = string.sub(arg_marks, i, i), string.sub(letters, i, i)
      if (mark == 'x' or mark == 'r' and level == record.FULL) and (letter == 'c' or letter == 't') then
        left_out = left_out + 1
      end
    end
  end
  if written then
    record.append('k', 't', 'u', arg_source, 't', string.format('%.0f', now - tonumber(arg_age)), 'q', source,
      's', arg_session, 'c', arg_call, 'v', letters, 'r', record.body(arg_history))
  end
  return level, left_out
end
