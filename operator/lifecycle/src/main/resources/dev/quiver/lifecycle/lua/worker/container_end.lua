-- Tells a worker how its container ended, once the operator has noted it. Guarantee: nothing is written.
-- FOR worker
-- FLAGS no-writes
-- KEYS session: hash of the session
-- ARGV ago: 0..600000; ms since the worker saw the end: a note from before is of another one
-- RETURNS {OK, words} | {NOTHING} when nothing is noted yet
-- USES worker/fate common/now
local words = fate.of_container(c, key_session, tonumber(arg_ago))
return words and {OK, words} or {NOTHING}
