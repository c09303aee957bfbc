// BullMQ as a peer of the benchmarks: reads one command a line, answers each with one line of JSON.
//
//   fill N                     brings the queue up to N waiting jobs
//   run C warmMs windowMs      works on them with concurrency C; answers what was done within the window:
//                              the warm-up begins with the first task, the window has one at least
//   latency C perSecond workMs seconds
//                              enqueues at random intervals (Poisson) and answers enqueue-to-start times
//   clear                      empties the queue
//
// Jobs are filled over the direct address, so that a delayed round trip burdens the worker alone.
// All settings are BullMQ's defaults, except that a completed job is removed: nobody reads it here,
// and the other contenders do not keep theirs either.
import { createInterface } from 'node:readline';
import { Queue, Worker } from 'bullmq';

const NAME = 'bench';
const [fillPort, workPort] = process.argv.slice(2).map(Number);
const at = (port) => ({ host: '127.0.0.1', port, maxRetriesPerRequest: null });
const job = (data) => ({ name: 'noop', data, opts: { removeOnComplete: true } });

const queue = new Queue(NAME, { connection: at(fillPort) });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function fill(wanted) {
  let missing = wanted - (await queue.getWaitingCount());
  while (missing > 0) {
    const batch = Math.min(missing, 1000);
    await queue.addBulk(Array.from({ length: batch }, () => job({})));
    missing -= batch;
  }
  return { waiting: await queue.getWaitingCount() };
}

async function run(concurrency, warmMs, windowMs) {
  let started = 0;
  const worker = new Worker(NAME, async () => void started++, { connection: at(workPort), concurrency });
  // A starved machine may not come to a single task within the time.
  const awaitOne = async (before) => {
    for (let patience = 60000; started === before; patience--) {
      if (patience === 0) throw new Error('no task within a minute');
      await pause(1);
    }
  };
  await worker.waitUntilReady();
  await awaitOne(0);
  await pause(warmMs);
  const before = started;
  const from = process.hrtime.bigint();
  await pause(windowMs);
  await awaitOne(before);
  const done = started - before;
  const seconds = Number(process.hrtime.bigint() - from) / 1e9;
  await worker.close();
  return { done, seconds, left: await queue.getWaitingCount() };
}

async function latency(concurrency, perSecond, workMs, seconds) {
  const micros = [];
  const worker = new Worker(
    NAME,
    async (it) => {
      micros.push(Number((process.hrtime.bigint() - BigInt(it.data.at)) / 1000n));
      await pause(workMs);
    },
    { connection: at(workPort), concurrency },
  );
  await worker.waitUntilReady();
  const end = performance.now() + seconds * 1000;
  let due = performance.now();
  const sent = [];
  while (due < end) {
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    const { name, data, opts } = job({ at: process.hrtime.bigint().toString() });
    sent.push(queue.add(name, data, opts));
    due += (-Math.log(1 - Math.random()) / perSecond) * 1000;
  }
  await Promise.all(sent);
  const patience = performance.now() + 5000;
  while (micros.length < sent.length && performance.now() < patience) await pause(20);
  await worker.close();
  return { sent: sent.length, micros };
}

async function clear() {
  await queue.obliterate({ force: true });
  return {};
}

const commands = { fill, run, latency, clear };
console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...args] = line.trim().split(/\s+/);
  try {
    console.log(JSON.stringify(await commands[command](...args.map(Number))));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.stack ?? error) }));
  }
}
await queue.close();
process.exit(0);
