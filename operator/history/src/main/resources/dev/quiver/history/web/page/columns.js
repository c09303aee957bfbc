// The timeline's columns as typed arrays, and a drawing of them into pixels. Nothing here touches the document.

const HEAD = 64;
// Of each status by its number: the higher one shows where several share a pixel.
const SEVERITY = Uint8Array.of(1, 2, 7, 6, 5, 4, 3);

/** Reads the bytes of `…/timeline`; see the API's description. */
export function decode(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0) !== 0x51544c31) throw new Error('the server answers no timeline');
  const lanes = view.getUint32(8, true);
  const n = view.getUint32(12, true);
  let at = HEAD;
  const column = (Type, length) => {
    const values = new Type(buffer, at, length);
    at += values.byteLength;
    return values;
  };
  const [first, last, from, to, trials, leftOut] = Array.from({ length: 6 }, (_, i) => view.getFloat64(16 + 8 * i, true));
  return {
    cells: view.getUint32(4, true) === 1, lanes, n, first, last, from, to, trials, leftOut,
    start: column(Float64Array, n),
    task: column(Float64Array, n),
    worker: column(Float64Array, lanes),
    length: column(Uint32Array, n),
    laneStart: column(Uint32Array, lanes + 1),
    trial: column(Uint16Array, n),
    status: column(Uint8Array, n),
    slot: column(Uint8Array, lanes),
    end: at,
  };
}

/** Reads the bytes of a pool's timeline: the same, with the place of each item's run, the runs, and the workers. */
export function decodePool(buffer) {
  const data = decode(buffer);
  const at = data.end + (data.end % 2);
  const { items, more, workers } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at + 2 * data.n)));
  return { ...data, run: new Uint16Array(buffer, at, data.n), runs: items, more, workers };
}

/** The first item of a lane that may be visible from that instant on. */
export function firstVisible(data, lane, from) {
  let low = data.laneStart[lane];
  let high = data.laneStart[lane + 1];
  const begin = low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (data.start[middle] < from) low = middle + 1; else high = middle;
  }
  return Math.max(begin, low - 1);
}

/** The item of a lane at an instant, or the next within `reach` ms; -1 without one. */
export function itemAt(data, lane, at, reach) {
  const end = data.laneStart[lane + 1];
  let best = -1;
  for (let i = firstVisible(data, lane, at); i < end && data.start[i] <= at + reach; i++) {
    if (data.start[i] + data.length[i] < at - reach) continue;
    if (best < 0 || SEVERITY[data.status[i]] > SEVERITY[data.status[best]]) best = i;
  }
  return best;
}

/**
 * Draws the lanes `from`..`to` (ms) into rows of pixels: the worst status wins in a pixel. A status differs by height,
 * too: passes leave the lane's edge free, everything else fills it, losses are striped.
 *
 * @param pixels Uint32Array of width × rows × height
 * @param colours of each status by its number, ABGR
 */
export function draw(data, pixels, { width, rows, height, from, to, colours, blank }) {
  const worst = new Uint8Array(width);
  const colourOf = new Uint32Array(8);
  SEVERITY.forEach((severity, status) => { colourOf[severity] = colours[status]; });
  colourOf[0] = blank;
  const scale = width / Math.max(1, to - from);
  const full = new Uint32Array(width);
  const edge = new Uint32Array(width);
  let lane = 0;
  for (let row = 0; row < rows; row++) {
    worst.fill(0);
    const behind = Math.floor(((row + 1) * data.lanes) / rows);
    for (; lane < behind; lane++) paint(data, lane, worst, width, from, to, scale);
    for (let x = 0; x < width; x++) {
      const severity = worst[x];
      const striped = severity === 4 && (x & 2);
      full[x] = striped ? blank : colourOf[severity];
      edge[x] = severity <= 1 ? blank : full[x];
    }
    const top = row * height * width;
    const gap = height >= 8 ? 2 : height >= 4 ? 1 : 0;
    for (let y = 0; y < height; y++) {
      pixels.set(y >= gap && y < height - (height >= 8 ? 1 : 0) ? full : edge, top + y * width);
    }
  }
}

function paint(data, lane, worst, width, from, to, scale) {
  const { start, length, status } = data;
  const end = data.laneStart[lane + 1];
  // Where the pixels of each severity end so far: items come by their start, so no pixel before is painted again.
  const reach = new Int32Array(8);
  for (let i = firstVisible(data, lane, from); i < end && start[i] <= to; i++) {
    let x = Math.floor((start[i] - from) * scale);
    let behind = Math.ceil((start[i] + length[i] - from) * scale);
    if (behind < 0) continue;
    if (behind - x > 3) behind--;
    const severity = SEVERITY[status[i]];
    x = Math.max(0, x);
    behind = Math.min(width, Math.max(behind, x + 1));
    for (x = Math.max(x, reach[severity]); x < behind; x++) if (worst[x] < severity) worst[x] = severity;
    reach[severity] = Math.max(reach[severity], behind);
  }
}

/** Each worker in numbers, the one that ended last first: the table beside the picture. */
export function byWorker(data) {
  const workers = new Map();
  for (let lane = 0; lane < data.lanes; lane++) {
    const id = data.worker[lane];
    const sum = workers.get(id) ?? { id, slots: 0, trials: 0, notPassed: 0, busy: 0, last: 0, longest: 0 };
    sum.slots++;
    for (let i = data.laneStart[lane]; i < data.laneStart[lane + 1]; i++) {
      sum.trials++;
      if (data.status[i] !== 0) sum.notPassed++;
      sum.busy += data.length[i];
      sum.longest = Math.max(sum.longest, data.length[i]);
      sum.last = Math.max(sum.last, data.start[i] + data.length[i]);
    }
    workers.set(id, sum);
  }
  return [...workers.values()].sort((a, b) => b.last - a.last);
}

/**
 * What is known together with what has ended since an instant, as the server answers it: its lanes are all there are,
 * and its items replace those that had not ended by then. Undefined where its number of trials is another: one came late.
 */
export function merged(known, news, since) {
  const early = (i) => known.start[i] + known.length[i] < since;
  const lanes = new Map(Array.from({ length: known.lanes }, (_, lane) => [`${known.worker[lane]}/${known.slot[lane]}`, lane]));
  const laneStart = new Uint32Array(news.lanes + 1);
  // An item of what is known is its number, one of the news the complement of it.
  const items = [];
  for (let lane = 0; lane < news.lanes; lane++) {
    const its = lanes.get(`${news.worker[lane]}/${news.slot[lane]}`);
    let next = news.laneStart[lane];
    const end = news.laneStart[lane + 1];
    for (let i = known.laneStart[its]; i < known.laneStart[its + 1]; i++) {
      if (!early(i)) continue;
      while (next < end && news.start[next] < known.start[i]) items.push(~next++);
      items.push(i);
    }
    while (next < end) items.push(~next++);
    laneStart[lane + 1] = items.length;
  }
  if (items.length !== news.trials) return undefined;
  const of = (name) => known[name].constructor.from(items, (i) => (i < 0 ? news[name][~i] : known[name][i]));
  return {
    ...news, n: items.length, laneStart,
    ...Object.fromEntries(['start', 'task', 'length', 'trial', 'status'].map((name) => [name, of(name)])),
  };
}

/** Each run of a pool's timeline in numbers, if it has a trial in view; cells are of no run, so all are there without. */
export function byRun(data) {
  if (data.cells) return data.runs;
  const sums = data.runs.map((run) => ({ ...run, trials: 0, notPassed: 0, busy: 0 }));
  for (let i = 0; i < data.n; i++) {
    const sum = sums[data.run[i]];
    sum.trials++;
    if (data.status[i] !== 0) sum.notPassed++;
    sum.busy += data.length[i];
  }
  return sums.filter((sum) => sum.trials);
}

/** How many trials have which status. */
export function counts(data) {
  const found = new Array(7).fill(0);
  for (let i = 0; i < data.n; i++) found[data.status[i]]++;
  return found;
}
