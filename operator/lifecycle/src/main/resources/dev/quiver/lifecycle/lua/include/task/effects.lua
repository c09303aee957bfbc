-- The answer of a function beside its result: {result, trees, plan, before, undo}. `trees` are tasks that follow, as `submission` reads
-- them: they are made in the step that records the answer, and are trees of their own. `plan` says how the task is to be
-- executed: {priority, tags, resources, share, args}, of which what is missing stays as it was. The answer of a plan with
-- which nothing is left to do is that of a function, and so is that of a contingency which knows that it was done. Without a
-- plan and as one that goes on, the answer of a contingency says that it was not. `before` are trees that a plan puts before its
-- task: it is queued for its function when all of them have passed, and fails with the first that does not. `undo` are tasks that would undo what the plan
-- changed: they are kept, and made by task/undo. In a tree that stays until it is dropped they come as words, `left`: task/take
-- gives all of them out. `complex` is what the answer of a complex task changes.
-- MODULE effects
-- USES worker/settling common/now common/decimal task/nodes task/queue task/flow task/aging task/dispatch task/submission task/events task/states
-- USES task/complex task/commands task/roots task/waits task/lending task/names
local ANSWER_BYTES, MOST_TREES, MOST_SHARE = 2097152, 64, 128
local REMEMBERED_MS, NO_ROOM_MS, LOOK_AGAIN_MS = 3600000, 5000, 1000
local function is_text(value) return value == nil or type(value) == 'string' end
-- Whole trees of these rows, not too many; nothing where one makes no sense.
local function trees_of(c, rows)
  local trees = submission.read(c, rows, 1)
  if not trees or #trees > MOST_TREES then return nil end
  for i = 1, #trees do
    if trees[i].facts == '' then return nil end
  end
  return trees
end
-- The rank that the plan leaves to a task; nil for one that makes no sense.
local function planned_rank(n, plan)
  local priority, tags, lent, resources = nodes.parts(n.rank or aging.NO_RANK)
  if plan.priority ~= nil then
    if type(plan.priority) ~= 'number' then return nil end
    priority = decimal.of(plan.priority) .. (string.match(priority, '@%d*$') or '')
  end
  for _, part in ipairs({lent, ''}) do -- what is lent gives way where all of it is too long
    local rank = nodes.of_parts(priority, plan.tags or tags, part, plan.resources or resources)
    if nodes.is_rank(rank) then return rank end
  end
end
local function readable(plan)
  return type(plan) == 'table' and is_text(plan.tags) and is_text(plan.resources) and is_text(plan.args)
    and #(plan.args or '') <= dispatch.MOST_ARGS
    and is_text(plan.share) and #(plan.share or '') <= MOST_SHARE and not string.find((plan.share or '') .. (plan.tags or ''), '[\t%z]')
end
-- Changes tasks of trees that are about to be made. change: answers whether it did.
local function change_each(trees, change)
  for _, tree in ipairs(trees) do
    for i, n in ipairs(tree.nodes) do
      if (n.kind == nodes.LEAF or n.kind == nodes.ITERATOR) and change(n) then
        trees.rows[tree.first + (i - 1) * 3 + 1] = nodes.text(n)
      end
    end
  end
end
-- What follows shares the turns of the task that brought it, where it names no key of its own.
local function share_with(trees, share)
  change_each(trees, function(n)
    if n.share then return false end
    n.share = share
    return true
  end)
end
-- The trees that are put before the task: ids to their facts, where one with a name may be there already. Nothing where that
-- cannot be, and words; or nothing else where the script has looked at so many that the plan is to come again.
local CIRCLE, MANY = 'the task would wait for itself', 'too many tasks wait for it, so that it cannot be put behind one that waits, too'
local function awaited(c, n, trees)
  local all, tree_of, of_names, behind = {}, nodes.tree_of(n), {}, nil
  for _, tree in ipairs(trees) do
    local holder, replaced = names.holder(c, tree.id, tree.only, tree.name, {id = n.id, goes_on = true})
    local id = holder and not replaced and holder or tree.id
    if id == tree.id and call('HEXISTS', c.key_roots, id) == 1 or all[id] or of_names[tree.name] then
      return nil, 'two of the tasks before it have one name'
    end
    local facts = id == tree.id and tree.whole or roots.of(c, {id = id})
    local why = id == tree_of and CIRCLE or nil
    if not why and id ~= tree.id and waits.has_waiting(facts) then
      if not behind and waits.has_looked(c) then return nil, nil end
      behind = behind or waits.behind(c, tree_of)
      why = not behind and MANY or behind and behind[id] and CIRCLE or nil
    end
    if why then return nil, why .. ': before it is to be ' .. tree.name .. ', a name that another task has' end
    all[id], of_names[tree.name] = facts, tree.name ~= '' or nil
  end
  return all
end
-- Makes those that are not there. All of them are lent the priority of the task, by a command where they are there already.
local function precede(c, n, trees, all, rank)
  local lent = lending.of(rank)
  waits.begin(c, n, all)
  change_each(trees, function(before)
    local its = lending.to(before.rank, lent)
    before.rank = its or before.rank
    return its ~= nil
  end)
  for _, tree in ipairs(trees) do all[tree.id] = nil end
  for id in pairs(all) do commands.add(c, 'lend', id, lent, n.pool) end
  submission.create(c, trees, REMEMBERED_MS, {id = n.id, goes_on = true})
end
-- Keeps what would undo a plan: in a tree that stays as one more line of its root, beside those of other nodes. Answers
-- false where it is too much, and changes nothing then.
local function keep(c, n, rows, words, share)
  local id = words and nodes.tree_of(n) or n.id
  local field, text = id .. nodes.UNDO, words and '' or cjson.encode(rows)
  if words then
    local size = call('HSTRLEN', c.key_body, field)
    local line = cjson.encode({at = decimal.of(c.now), node = nodes.ordinal(n.id), pool = n.pool, share = share, tasks = words})
    if size + #line >= nodes.MOST_UNDO then return false end
    text = (size > 0 and call('HGET', c.key_body, field) or '') .. line .. '\n'
  end
  if #text > nodes.MOST_UNDO then return false end
  call('HSET', c.key_body, field, text)
  nodes.keeps_undo(c, words and nodes.get(c, id) or n)
  return true
end
-- The task is queued for its function, as its plan says, or waits for what is put before it.
local function execute(c, q, n, plan, rank)
  n.handler = nodes.function_of(n)
  n.max_trials, n.share = decimal.of((tonumber(n.max_trials) or 0) + n.failed), plan.share or n.share -- numbers of trials go on
  n.rank = rank ~= aging.NO_RANK and rank or nil
  if queue.is_fair(q) then
    n.seq = '' -- its turn is that of its key, and not of plans
  elseif n.rank and plan.resources then
    n.rank = nodes.resolved(q, n.rank)
  end
  if plan.args then c.results[n.id] = 'P' .. plan.args end
  events.tell(c, events.PLANNED, n)
  if n.waits then return flow.enter(c, n, nodes.RESTART) end
  flow.enter(c, n, nodes.STARTABLE)
  flow.queue_up(c, n)
end
-- Takes it; answers the verdict.
function effects.take(c, q, n, data, is_plan)
  local ok, answer = pcall(cjson.decode, #data <= ANSWER_BYTES and data or '')
  local rows = ok and n.kind == nodes.LEAF and type(answer) == 'table' and is_text(answer.result) and is_text(answer.left) and submission.texts(answer.trees or {})
  local plan, rank = is_plan and rows and answer.plan, nil
  if plan and readable(plan) and nodes.is_planning(n) then rank = planned_rank(n, plan) end
  local redo = is_plan and rows and not plan and nodes.is_in_doubt(n)
  local undo = rows and submission.texts(answer.undo or {})
  local undoing = undo and (rank or redo or not is_plan) and trees_of(c, undo)
  local trees = undoing and trees_of(c, rows)
  local first, before, circle = {}, {}, nil
  if plan and trees and answer.before then
    first = submission.texts(answer.before)
    first = first and trees_of(c, first)
    if first then before, circle = awaited(c, n, first) end
    if first and not before and not circle then
      flow.try_later(c, n, LOOK_AGAIN_MS)
      return settling.COUNTED
    end
    if not first or not before then trees = nil end
  end
  -- A marker's leaf that was withdrawn changes nothing: what its complex task keeps is another request's by now.
  local part, change, why = trees and not flow.is_apart(n) and answer.complex, nil, nil
  if part then
    local marked = type(part) == 'table' and submission.texts(part.trees or {})
    marked = marked and trees_of(c, marked)
    if marked and not redo and not plan then change, why = complex.weigh(c, n, part, marked) end
    if why == states.CONFLICT then return complex.conflict(c, n) end
    if not change then trees = nil end
  end
  if not trees then
    local error = cjson.encode({reason = 'AnswerInvalid', message = why or circle or 'what the function brings cannot be read'})
    if nodes.is_unsure(n) then
      flow.doubt(c, n, 'failed', 0, error)
      return settling.RETRIED
    end
    return flow.refuse(c, n, error)
  end
  local adds = change and #change.rows > 0 or #rows > 0 or #undo > 0 or next(before) or answer.left or plan and plan.args
  if c.no_room and adds then -- it is called again when there may be room
    if nodes.is_unsure(n) then -- it has run, and must not do so again
      flow.doubt(c, n, nil, NO_ROOM_MS, '{"reason":"OutOfMemory","message":"Redis had no memory for what the function brings"}')
    else
      flow.try_later(c, n, NO_ROOM_MS)
    end
    return settling.COUNTED
  end
  local share = plan and plan.share or n.share
  if share then
    share_with(trees, share)
    share_with(undoing, share)
    if change then share_with(change.trees, share) end
    share_with(first, share)
  end
  local planned = n.planned
  if plan then n.planned = nodes.fields_of_plan(plan) end
  if nodes.is_planning(n) and (#undo > 0 or answer.left) and not keep(c, n, undo, answer.left, share) then
    n.planned = planned
    return flow.refuse(c, n, '{"reason":"AnswerInvalid","message":"what would undo it is too large"}')
  end
  if change then complex.apply(c, n, change) end
  if next(before) then precede(c, n, first, before, rank) end
  submission.create(c, trees, REMEMBERED_MS, {id = n.id, goes_on = is_plan})
  if redo then
    flow.redo(c, n)
  elseif is_plan then
    execute(c, q, n, plan, rank)
  else
    flow.finish(c, n, true, answer.result)
  end
  return settling.COUNTED
end
