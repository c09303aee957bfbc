// What the peers in Node have in common: one command a line in, one line of JSON out, and the window that is counted.
import { createInterface } from 'node:readline';

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What was started within the window. The warm-up begins with the first task, and the window has one at least. */
export async function counted(started, warmMs, windowMs) {
  // A starved machine may not come to a single task within the time.
  const awaitOne = async (before) => {
    for (let patience = 60000; started() === before; patience--) {
      if (patience === 0) throw new Error('no task within a minute');
      await pause(1);
    }
  };
  await awaitOne(0);
  await pause(warmMs);
  const before = started();
  const from = process.hrtime.bigint();
  await pause(windowMs);
  await awaitOne(before);
  const done = started() - before;
  return { done, seconds: Number(process.hrtime.bigint() - from) / 1e9 };
}

/** Calls `arrive` at random (Poisson) for so long, and waits for what it promises. */
export async function arrivals(perSecond, seconds, arrive) {
  const end = performance.now() + seconds * 1000;
  let due = performance.now();
  const sent = [];
  while (due < end) {
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    sent.push(arrive(sent.length));
    due += (-Math.log(1 - Math.random()) / perSecond) * 1000;
  }
  await Promise.all(sent);
  return sent.length;
}

/** Obeys until the standard input ends. Words that are numbers arrive as numbers. */
export async function serve(commands) {
  console.log(JSON.stringify({ ready: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...words] = line.trim().split(/\s+/);
    try {
      const it = await commands[command](...words.map((word) => (isNaN(word) ? word : Number(word))));
      console.log(JSON.stringify(it));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error?.stack ?? error) }));
    }
  }
}
