// BullMQ as a peer of the benchmarks: reads one command a line, answers each with one line of JSON.
//
//   shape single|chains|groups what is filled from now on: jobs, flows of ten nested ones, parents of a hundred
//   fill N                     brings the queue up to N waiting jobs
//   run C warmMs windowMs      works on them with concurrency C; answers what was done within the window:
//                              the warm-up begins with the first task, the window has one at least
//   latency C perSecond workMs seconds [apart]
//                              enqueues at random intervals (Poisson) and answers enqueue-to-start times;
//                              apart: a process of its own enqueues, as a producer is in production
//   steps C perSecond workMs seconds steps
//                              the same with flows of so many nested jobs; answers end-to-start times between two
//   clear                      empties the queue
//
// Jobs are filled over the direct address, so that a delayed round trip burdens the worker alone.
// All settings are BullMQ's defaults, except that a completed job is removed: nobody reads it here,
// and the other contenders do not keep theirs either.
import { fork } from 'node:child_process';
import { FlowProducer, Queue, Worker } from 'bullmq';
import { arrivals, counted, pause, serve } from './protocol.js';

const NAME = 'bench';
const PRODUCER = 'producer';
const [fillPort, workPort] = process.argv.slice(2, 4).map(Number);
const at = (port) => ({ host: '127.0.0.1', port, maxRetriesPerRequest: null });
const job = (data) => ({ name: 'noop', data, opts: { removeOnComplete: true } });
const node = (name, data, children) => ({ ...job(data), name, queueName: NAME, children });

const queue = new Queue(NAME, { connection: at(fillPort) });
const flows = new FlowProducer({ connection: at(fillPort) });

/** The deepest job runs first. */
const chain = (steps, data = () => ({})) => {
  let last;
  for (let step = 0; step < steps; step++) last = node('noop', data(step), last && [last]);
  return last;
};
const group = (jobs) => node('parent', {}, Array.from({ length: jobs }, () => node('noop', {})));

const bulk = (make, jobs) => (count) =>
  flows.addBulk(Array.from({ length: Math.ceil(count / jobs) }, make)).then(() => Math.ceil(count / jobs) * jobs);
const shapes = {
  single: (count) => queue.addBulk(Array.from({ length: count }, () => job({}))).then(() => count),
  chains: bulk(() => chain(10), 10),
  groups: bulk(() => group(100), 100),
};
let add = shapes.single;

function shape(name) {
  add = shapes[name];
  return {};
}

const left = async () => (await queue.getWaitingCount()) + (await queue.getWaitingChildrenCount());

async function fill(wanted) {
  let missing = wanted - (await left());
  while (missing > 0) missing -= await add(Math.min(missing, 1000));
  return { waiting: await left() };
}

async function run(concurrency, warmMs, windowMs) {
  let started = 0;
  const worker = new Worker(NAME, async (it) => void (started += it.name === 'noop'), {
    connection: at(workPort),
    concurrency,
  });
  await worker.waitUntilReady();
  const window = await counted(() => started, warmMs, windowMs);
  await worker.close();
  return { ...window, left: await left() };
}

async function timed(concurrency, workMs, waits, work) {
  const micros = [];
  const worker = new Worker(
    NAME,
    async (it) => {
      const wait = waits(it.data, process.hrtime.bigint());
      if (wait !== undefined) micros.push(Number(wait / 1000n));
      await pause(workMs);
      it.data.ended?.(process.hrtime.bigint());
    },
    { connection: at(workPort), concurrency },
  );
  await worker.waitUntilReady();
  const sent = await work();
  const patience = performance.now() + 5000;
  while (micros.length < sent && performance.now() < patience) await pause(20);
  await worker.close();
  return { sent, micros };
}

function enqueue() {
  const { name, data, opts } = job({ at: process.hrtime.bigint().toString() });
  return queue.add(name, data, opts);
}

let producer;

/** How many the producer enqueued; it lives as long as this process. */
function produced(perSecond, seconds) {
  producer ??= fork(process.argv[1], [fillPort, workPort, PRODUCER], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  producer.send({ perSecond, seconds });
  return new Promise((resolve, reject) => {
    const gone = (code) => reject(new Error(`the producer ended with ${code}`));
    producer.once('exit', gone);
    producer.once('message', (sent) => {
      producer.off('exit', gone);
      resolve(sent);
    });
  });
}

function latency(concurrency, perSecond, workMs, seconds, where) {
  return timed(
    concurrency,
    workMs,
    (data, now) => now - BigInt(data.at),
    () => (where === 'apart' ? produced(perSecond, seconds) : arrivals(perSecond, seconds, enqueue)),
  );
}

function steps(concurrency, perSecond, workMs, seconds, count) {
  const ends = new Map();
  const between = (data, now) => {
    const before = ends.get(data.chain);
    data.ended = (end) => ends.set(data.chain, end);
    return before && now - before;
  };
  const start = (id) => flows.add(chain(count, () => ({ chain: id })));
  return timed(concurrency, workMs, between, async () => {
    const chains = await arrivals(perSecond, seconds, start);
    return chains * (count - 1);
  });
}

async function clear() {
  await queue.obliterate({ force: true });
  return {};
}

if (process.argv[4] === PRODUCER) {
  process.on('disconnect', () => process.exit(0));
  process.on('message', async ({ perSecond, seconds }) => process.send(await arrivals(perSecond, seconds, enqueue)));
} else {
  await serve({ shape, fill, run, latency, steps, clear });
  await queue.close();
  await flows.close();
  process.exit(0);
}
