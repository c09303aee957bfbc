// The timeline of a run that goes on: all of it once, then what has ended since.
import { bytes, query } from './api.js';
import { decode, merged } from './columns.js';

const COLUMNS = 2048;
// How far back the record is looked at again: trials come in steps, so some come behind later ones.
const BACK = 2000;
const MOST_BACK = 64_000;

/** `address` is that of the run; `worker` the one whose lanes are wanted, or undefined. */
export function growing(address, worker) {
  let known;
  let back = BACK;
  const ask = async (signal, parameters) => decode(
    await bytes(query(`${address}/timeline`, { ...parameters, worker, px: COLUMNS }), signal));

  /** All of it, by a small answer where one will do. */
  async function grown(signal) {
    if (known?.n && !known.cells) {
      const since = Math.max(0, Math.floor(known.last - back));
      const news = await ask(signal, { since });
      const whole = news.cells ? news : merged(known, news, since);
      if (!whole) back = Math.min(MOST_BACK, back * 2);
      known = whole;
    } else {
      known = undefined;
    }
    known ??= await ask(signal);
    return known;
  }

  return {
    grown,
    /** A part of the time as it is now. */
    view: ask,
  };
}
