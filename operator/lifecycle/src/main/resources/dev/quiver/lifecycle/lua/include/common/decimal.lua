-- Whole numbers as text, without an exponent.
-- MODULE decimal
function decimal.of(number) return string.format('%.0f', number) end
