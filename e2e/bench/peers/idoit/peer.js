// idoit as a peer of the benchmarks: reads one command a line, answers each with one line of JSON.
//
//   fill N                     brings the pool up to N tasks that were not run yet
//   run C warmMs windowMs      works on them with concurrency C; answers what was done within the window:
//                              the warm-up begins with the first task, the window has one at least
//   clear                      removes everything
//
// The producer is a queue of another pool, so that it consumes nothing of what it makes. All settings are idoit's
// defaults: finished tasks stay for three days, and no time is spent on removing them.
import { createRequire } from 'node:module';
import Queue from 'idoit';
import { counted, pause, serve } from './protocol.js';

const Redis = createRequire(createRequire(import.meta.url).resolve('idoit'))('ioredis');
const [fillPort, workPort] = process.argv.slice(2).map(Number);
const DATABASE = 1; // of its own, to clear it as a whole
const at = (port) => `redis://127.0.0.1:${port}/${DATABASE}`;
const AT_ONCE = 100;

let started = 0;
const redis = new Redis(at(fillPort));

async function open(port, options) {
  const queue = new Queue({ redisURL: at(port), ns: 'idoit:', ...options });
  queue.registerTask('noop', async () => void started++);
  await queue.ready();
  return queue;
}

const producer = await open(fillPort, { pool: 'nobody' });

async function waiting() {
  const [commands, startable] = await Promise.all([
    redis.zcard('idoit:default:commands'),
    redis.scard('idoit:default:startable'),
  ]);
  return commands + startable;
}

async function fill(wanted) {
  for (let missing = wanted - (await waiting()); missing > 0; missing -= AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(missing, AT_ONCE) }, () => producer.noop().run()));
  }
  return { waiting: await waiting() };
}

async function run(concurrency, warmMs, windowMs) {
  started = 0;
  const worker = await open(workPort, { concurrency });
  await worker.start();
  const window = await counted(() => started, warmMs, windowMs);
  await worker.shutdown();
  clearInterval(worker.__timer__);
  await pause(100); // its last answers
  worker.__redis__.disconnect();
  return { ...window, left: await waiting() };
}

async function clear() {
  await redis.flushdb();
  return {};
}

await serve({ fill, run, clear });
process.exit(0);
