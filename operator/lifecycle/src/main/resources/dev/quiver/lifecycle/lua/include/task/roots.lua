-- The facts of trees. Behind them stands RECORDED where the tree's run is recorded.
-- KEYS roots: tree to facts of the whole
-- MODULE roots
-- USES common/now common/decimal task/nodes task/commands
roots.NODES, roots.MOST_OF_TREE = 8, 100000 -- behind the counts by state: nodes that stay until their tree goes
local RECORDED, BESIDE = 82, 9 -- R; what stands between the numbers of its record
local FACTS = '^(%d*)\t([01]?)\t(%d+)\t(%d*)\t(%d*)\t([%d,-]*)\t(%d*)\t(%d*)\t(%d*)\t(.*)$'
function roots.parse(c, tree, text) -- facts of the tree, or false
  local facts = false
  if #(text or '') > nodes.MOST_RECORD then text = '' end
  local keep, watched, following, finally, deadline, counts, began, expires, ended, rest = string.match(text or '', FACTS)
  -- Where all of its digits together are few, each number has few.
  if keep and (#text - #rest <= BESIDE + nodes.DIGITS
    or #keep <= nodes.DIGITS and #following <= nodes.DIGITS and #finally <= nodes.DIGITS and #deadline <= nodes.DIGITS and #counts <= 160
    and #began <= nodes.DIGITS and #expires <= nodes.DIGITS and #ended <= nodes.DIGITS) and following + 0 <= nodes.MOST_ORDINAL then
    facts = {tree = tree, keep = keep, watched = watched, next = following, finally = finally, deadline = deadline,
      counts = counts, began = began, expires = expires, ended = ended, rest = rest}
  end
  c.roots[tree] = facts
  return facts
end
function roots.text(facts)
  if facts.count then facts.counts = table.concat(facts.count, ',') end
  return facts.keep .. '\t' .. facts.watched .. '\t' .. facts.next .. '\t' .. facts.finally .. '\t' .. facts.deadline .. '\t'
    .. facts.counts .. '\t' .. facts.began .. '\t' .. facts.expires .. '\t' .. facts.ended .. '\t' .. facts.rest
end
function roots.load(c, ids) -- reads the facts of these nodes' trees, and parses none
  local ask = {}
  for i = 1, #ids do
    local tree = nodes.tree(ids[i])
    if c.root_texts[tree] == nil and c.roots[tree] == nil then
      ask[#ask + 1] = tree
      c.root_texts[tree] = false
    end
  end
  if #ask == 0 then return end
  local texts = call('HMGET', c.key_roots, unpack(ask))
  for i = 1, #ask do c.root_texts[ask[i]] = texts[i] end
end
function roots.of(c, n) -- facts of the tree, or false
  local tree = nodes.tree_of(n)
  local facts = c.roots[tree]
  if facts == nil then
    local text = c.root_texts[tree]
    if text == nil then text = call('HGET', c.key_roots, tree) end
    facts = roots.parse(c, tree, text)
  end
  return facts
end
function roots.watched(c, n) -- facts of the tree when it is watched
  local tree = nodes.tree_of(n)
  local facts, text = c.roots[tree], c.root_texts[tree]
  if facts == nil and text ~= nil and not (text and string.find(text, '^%d*\t1')) then return nil end
  facts = facts or facts == nil and roots.of(c, n)
  return facts and facts.watched == '1' and facts or nil
end
function roots.counts(facts) -- of a tree that nobody watches none are kept until it grows
  if not facts.count then
    local counts, at, most, digits = {}, 0, roots.NODES, nodes.DIGITS
    for word in string.gmatch(facts.counts, '%-?%d+') do
      if at == most then break end
      at = at + 1
      counts[at] = #word <= digits and tonumber(word) or 0
    end
    for i = at + 1, most - 1 do counts[i] = 0 end
    counts[roots.NODES] = counts[roots.NODES] or tonumber(facts.next)
    facts.count = counts
  end
  return facts.count
end
function roots.is_recorded(facts) return string.byte(facts.rest) == RECORDED end
function roots.count(c, facts, state, by)
  local counts = roots.counts(facts)
  counts[nodes.STATES[state]] = counts[nodes.STATES[state]] + by
  c.changed_roots[facts.tree] = facts
end
function roots.move(c, facts, from, to) -- a node of a watched tree from one state to another
  local counts, states = roots.counts(facts), nodes.STATES
  from, to = states[from], states[to]
  counts[from] = counts[from] - 1
  counts[to] = counts[to] + 1
  c.changed_roots[facts.tree] = facts
end
function roots.note(c, n, state, by) -- counts a node of a watched tree
  local facts = roots.watched(c, n)
  if facts then roots.count(c, facts, state, by) end
end
-- The time that a tree may take runs from its start or its last resume, and not while it is suspended.
function roots.set_expiry(c, facts, n)
  local runs = facts.began ~= '' and facts.deadline ~= '' and n.suspended ~= '1' and not nodes.is_over(n)
  if facts.expires ~= '' then commands.expire_never(c, facts.tree, facts.expires) end
  facts.expires = runs and decimal.of(facts.began + facts.deadline) or ''
  if runs then commands.expire_at(c, facts.tree, facts.expires, tonumber(facts.expires)) end
  c.changed_roots[facts.tree] = facts
end
function roots.start_clock(c, facts, n)
  facts.began = decimal.of(c.now)
  roots.set_expiry(c, facts, n)
end
