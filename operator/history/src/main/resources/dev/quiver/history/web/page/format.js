// Numbers, times and states as people read them.
import { html } from './html.js';

/** Words of the API by their number in a timeline. */
export const STATUSES = ['passed', 'pending', 'failed', 'error', 'timeout', 'lost', 'cancelled'];

// A state is a shape and a word; its colour only helps.
const MARKS = {
  passed: '✓', succeeded: '✓', pending: '–', failed: '✕', error: '!', timeout: '◷', lost: '∅', cancelled: '⊘',
  running: '▸', open: '▸', waiting: '·', queued: '·', retrying: '↻', notRun: '–',
};

const WORDS = { notRun: 'not run' };

export const number = (value) => (value === undefined ? '–' : value.toLocaleString('en'));

/** Bytes in the largest unit that leaves a whole number. */
export function size(bytes) {
  if (bytes < 1024) return plural(bytes, 'byte');
  const [unit, many] = bytes < 1024 * 1024 ? ['KiB', 1024] : ['MiB', 1024 * 1024];
  const n = bytes / many;
  return `${n < 10 ? n.toFixed(1) : number(Math.round(n))} ${unit}`;
}

// A number and its unit stay in one line.
const two = (large, unit, small, smaller) => `${large}\u00a0${unit}${small ? ` ${small}\u00a0${smaller}` : ''}`;

/** Milliseconds as the two largest units. */
export function duration(ms) {
  if (ms === undefined || Number.isNaN(ms)) return '–';
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}\u00a0s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 2880) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return two(Math.floor(minutes / 1440), 'd', Math.floor((minutes % 1440) / 60), 'h');
}

export const plural = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;

/** A share in whole percent; what is less than one is not nothing. */
export const percent = (share) => (share > 0 && share < 0.01 ? '1 %' : `${number(Math.round(share * 100))} %`);

const pad = (n, digits = 2) => String(n).padStart(digits, '0');
const day = (date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;

/** The time of day in the reader's zone, as fine as steps of so many ms need it; at midnight the day. */
export function clock(ms, step) {
  const date = new Date(ms);
  const words = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  if (step >= 60_000) return words === '00:00' ? day(date) : words;
  return `${words}:${pad(date.getSeconds())}${step < 1000 ? `.${pad(date.getMilliseconds(), 3)}` : ''}`;
}

/** An instant in the reader's zone; today's without the date. */
export function time(value) {
  if (value === undefined) return '–';
  const date = new Date(value);
  const words = clock(date, 1000);
  return html`<time datetime=${date.toISOString()} title=${date.toISOString()}>${
    date.toDateString() === new Date().toDateString() ? words : `${day(date)} ${words}`}</time>`;
}

/** A state with its mark. */
export function badge(word) {
  const known = word || 'open';
  return html`<span class="badge ${MARKS[known] ? known : 'open'}"><span aria-hidden="true">${
    MARKS[known] ?? '·'}</span> ${WORDS[known] ?? known}</span>`;
}

export const runState = (run) => run.status ?? 'running';

/** How long a run took, or takes so far. */
export function elapsed(run) {
  if (!run.startedAt) return undefined;
  return (run.finishedAt ? Date.parse(run.finishedAt) : Date.now()) - Date.parse(run.startedAt);
}

/** The address of a view of this page. */
export const link = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;
