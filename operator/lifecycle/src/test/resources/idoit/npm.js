'use strict';
// npm's idoit, unchanged, as a program that the tests drive: one JSON object a line in, one a line out.
//   node npm.js REDIS_URL PREFIX start|idle POOL...    idle: creates, reads and cancels, and works at nothing
//   IDOIT_TIMEOUT: milliseconds of an attempt, 1500 where it is not set
const Queue = require('idoit');
const [redisURL, ns, mode, ...pool] = process.argv.slice(2);
const queue = new Queue({ redisURL, ns, pool: mode === 'idle' ? '__none__' : pool, concurrency: 20 });
const limits = { retry: 2, retryDelay: 20, timeout: +(process.env.IDOIT_TIMEOUT || 1500) };

queue.on('error', err => process.stderr.write(`${err.message}\n`));
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

const runs = {};
const register = queue.registerTask.bind(queue);
queue.registerTask = task => register(task.process ? { ...task, process(...args) {
  runs[this.id] = (runs[this.id] || 0) + 1;
  return task.process.apply(this, args);
} } : task);

queue.registerTask({ ...limits, name: 'echo', process: (...args) => args });
queue.registerTask({ ...limits, name: 'last', process: (...args) => args[args.length - 1] });
queue.registerTask({ ...limits, name: 'nothing', process() {} });
// Those of crds/examples/task-idoit.yaml.
queue.registerTask({ ...limits, name: 'fetch', process: photo => photo });
queue.registerTask({ ...limits, name: 'publish', process: thumbnail => ({ published: thumbnail }) });
queue.registerTask({ ...limits, name: 'sum', process: (...args) => [args].flat(9).reduce((a, b) => a + (+b || 0), 0) });
queue.registerTask({ ...limits, name: 'fail', process: (...args) => { throw new Error(`no ${args[0]}`); } });
queue.registerTask({ ...limits, name: 'flaky', process(...args) {
  if (this.retries < 1) throw new Error('not yet');
  return args;
} });
queue.registerTask({ ...limits, name: 'slow', process: async ms => { await sleep(ms); return ms; } });
queue.registerTask({ ...limits, name: 'again', async process(...args) {
  if (this.retries < 1) await this.restart(true, 20);
  return args;
} });
queue.registerTask({ ...limits, name: 'late', async process(ms) {
  await this.setDeadline(2 * ms);
  await sleep(ms);
  return ms;
} });
queue.registerTask({ ...limits, name: 'hold', process: () => 'held' });
queue.registerTask({ ...limits, name: 'steps', init() { this.total = 3; }, async process(...args) {
  await this.progressAdd(1);
  await this.progressAdd(1);
  return args.length;
} });
queue.registerTask({ ...limits, name: 'once', taskID: (...args) => `once-${args[0]}`, process: (...args) => args });
// Makes `count` children in pages of 3, each with its number and the pool that the iterator was given.
queue.registerTask({ ...limits, name: 'walk', baseClass: Queue.IteratorTemplate, iterate(state) {
  const at = state || 0, [count, child, childPool] = this.args;
  if (at >= count) return null;
  const next = Math.min(at + 3, count), tasks = [];
  for (let i = at; i < next; i++) tasks.push(queue[child](i).options({ pool: childPool }));
  return { state: next, tasks };
} });

const build = spec => {
  const task = spec.children ? queue[spec.type](spec.children.map(build)) : queue[spec.type](...spec.args);
  const options = { pool: spec.pool };
  if (spec.removeDelay !== undefined) options.removeDelay = spec.removeDelay;
  return task.options(options);
};
const verbs = {
  run: async ({ tree }) => build(tree).run(),
  postpone: async ({ tree, delay }) => build(tree).postpone(delay),
  get: async ({ id }) => {
    const task = await queue.getTask(id);
    return task && task.toObject();
  },
  cancel: async ({ id }) => (await queue.cancel(id)) || null,
  runs: async () => runs,
  stringify: async ({ text }) => JSON.stringify(JSON.parse(text)),
  stop: async () => {
    await queue.shutdown();
    setTimeout(() => process.exit(0), 10);
    return null;
  },
};

(async () => {
  await queue.ready();
  if (mode === 'start') await queue.start();
  process.stdout.write('"ready"\n');
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const call = JSON.parse(line);
    try {
      const value = await verbs[call.verb](call);
      process.stdout.write(`${JSON.stringify({ value: value === undefined ? null : value })}\n`);
    } catch (err) {
      process.stdout.write(`${JSON.stringify({ error: err.message })}\n`);
    }
  }
  process.exit(0);
})();
