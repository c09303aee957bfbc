-- Whether a task has lost its worker as often as it may. Such a task fails (WorkerLost), whatever trials it has left.
local function lost_too_often(lost, max_lost)
  return lost >= max_lost
end
