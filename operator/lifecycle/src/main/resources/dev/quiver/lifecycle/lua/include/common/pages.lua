-- Calls with many arguments, a page at a time: Lua's stack has bounds.
-- MODULE pages
pages.ROWS = 1000
function pages.each(list, act)
  for i = 1, #list, pages.ROWS do act(unpack(list, i, math.min(i + pages.ROWS - 1, #list))) end
end
