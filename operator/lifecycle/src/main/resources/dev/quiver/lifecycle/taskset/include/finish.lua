-- Makes the set final: nothing is queued or held any more, what sessions still hold is void.
-- Uses key_set, key_task_queue, key_payload, key_trouble, now.
local function finish(status, reason, message)
  call('HSET', key_set, 'status', status, 'reason', reason, 'message', message, 'finished_at', now, 'running', 0)
  call('UNLINK', key_task_queue, key_payload, key_trouble)
end
