package dev.quiver.e2e.chaos;

import java.util.List;
import java.util.stream.Stream;

import dev.quiver.e2e.quiver.RedisCli;

/**
 * The work of a namespace as it stands in Redis at one moment, where it goes on while the operator is away.
 *
 * @param losses tasks that lost a worker and are not decided yet, of whatever kind
 * @param decided of each run the tasks that have passed or failed for good
 */
record Look(int losses, List<Integer> decided) {

    /** The second field of a leaf's record is its state, the eighth its losses. */
    private static final String SCRIPT = """
            local losses, leaves = 0, {}
            for _, key in ipairs(redis.call('KEYS', '*{' .. ARGV[1] .. '}*')) do
              if string.find(key, ':trouble$') then
                for _, record in ipairs(redis.call('HVALS', key)) do
                  if not string.find(record, ':0$') then losses = losses + 1 end
                end
              elseif string.find(key, ':task:nodes$') then
                local nodes = redis.call('HGETALL', key)
                for i = 1, #nodes, 2 do
                  local kind, state, lost = string.match(nodes[i + 1], '^(.)\t(.)\t[^\t]*\t[^\t]*\t[^\t]*\t%d*\t%d+\t(%d+)')
                  local tree = string.match(nodes[i], '^[^.]*')
                  local over = state == 'f' or state == 'x'
                  if kind == 'L' and over then leaves[tree] = (leaves[tree] or 0) + 1 end
                  if kind == 'L' and not over and state ~= 't' and lost ~= '0' then losses = losses + 1 end
                end
              end
            end
            local look = {losses}
            for i = 2, #ARGV do
              local counts = redis.call('HMGET', ARGV[i], 'succeeded_count', 'failed_count')
              look[i] = leaves[ARGV[i]] or (counts[1] or 0) + (counts[2] or 0)
            end
            return look""";

    /** The look of these runs. */
    static Look at(RedisCli redis, String namespace, List<Victim> runs) {
        String[] words = Stream.concat(
                        Stream.of("EVAL", SCRIPT, "0", namespace), runs.stream().map(Victim::work))
                .toArray(String[]::new);
        List<Integer> numbers = redis.run(words).lines().map(Integer::parseInt).toList();
        return new Look(numbers.getFirst(), numbers.subList(1, numbers.size()));
    }
}
