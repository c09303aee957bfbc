-- Reports a change of the source, to whom it was told to.
-- MODULE reports
function reports.changed(c)
  call('ZADD', c.key_reports, call('HINCRBY', c.key_meta, 'changes', 1), c.arg_source)
end
