-- Puts a wake token back that its taker has no use for, so that another worker hears of the work. Guarantee: never more
-- than one token, none while no set is ready; repeating it is harmless.
-- FOR worker
-- FLAGS allow-oom
-- KEYS ready: the pool's order
-- KEYS wake: the pool's token
-- RETURNS {OK}
if call('ZCARD', key_ready) > 0 and call('LLEN', key_wake) == 0 then call('RPUSH', key_wake, '') end
return {OK}
