// The picture of a run or a pool: a lane for each slot, time from left to right. Pointer and keys move through it.
import { draw, itemAt } from './columns.js';
import { STATUSES, clock, duration, number } from './format.js';
import { visible } from './html.js';

const AXIS = 20;
const TALLEST = 460;
const MOST_ROWS = 460;
const NARROW = 640;

/** Colours of the style sheet, as the pixels want them. */
function palette() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const pixel = (name) => {
    const rgb = parseInt(value(name).slice(1), 16);
    return (0xff000000 | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
  };
  return {
    colours: Uint32Array.from(STATUSES, (status) => pixel(`--${status}`)),
    blank: pixel('--lane'),
    text: value('--dim'),
    line: value('--line'),
    ink: value('--ink'),
    font: `11px ${style.fontFamily}`,
  };
}

/**
 * A timeline in a canvas. `on` has `say(text, item, data)`, perhaps `given` with the view to begin with, `open(item, data)` and `view()`. Of a pool it has `run(item, data)`, too,
 * which names the run of an item: then times are those of the clock.
 */
export class Timeline {
  #canvas; #on; #data; #names = new Map(); #from = 0; #to = 1; #whole = true; #cursor = null; #drag = null;
  #frame = 0; #size; #watch; #colours; #picture;

  /** How long the last frame took, ms. */
  drawn = 0;

  constructor(canvas, on) {
    this.#canvas = canvas;
    this.#on = on;
    const [from, to] = [Number(on.given?.from), Number(on.given?.to)];
    if (from > 0 && to > from) { this.#from = from; this.#to = to; this.#whole = false; }
    const listen = (name, handle) => canvas.addEventListener(name, handle.bind(this));
    listen('pointermove', this.#moved);
    listen('pointerdown', this.#pressed);
    listen('pointerup', this.#released);
    listen('pointerleave', () => { if (!this.#drag) { this.#cursor = null; this.#later(); } });
    listen('dblclick', () => this.reset());
    canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.#zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#timeAt(event.offsetX));
    }, { passive: false });
    listen('keydown', this.#key);
    this.#watch = new ResizeObserver(() => this.#later());
    this.#watch.observe(canvas.parentElement);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#colours = undefined;
      this.#later();
    });
  }

  /** Shows other data, of the whole run or of the view. */
  show(data, names) {
    this.#data = data;
    this.#names = names;
    if (this.#whole) { this.#from = data.first; this.#to = Math.max(data.first + 1, data.last); }
    this.#later();
  }

  /** Whether it has shown nothing yet. */
  get empty() {
    return !this.#data;
  }

  /** What is in view, or undefined for all of it. */
  get view() {
    return this.#whole ? undefined : { from: Math.floor(this.#from), to: Math.ceil(this.#to) };
  }

  reset() {
    if (!this.#data) return;
    this.#whole = true;
    this.#from = this.#data.first;
    this.#to = Math.max(this.#data.first + 1, this.#data.last);
    this.#changed();
  }

  zoom(factor) {
    this.#zoom(factor, (this.#from + this.#to) / 2);
  }

  close() {
    this.#watch.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  #changed() {
    this.#later();
    this.#on.view();
  }

  #zoom(factor, around) {
    if (!this.#data) return;
    const span = Math.max(5, (this.#to - this.#from) * factor);
    const from = around - (around - this.#from) * (span / (this.#to - this.#from));
    this.#set(from, from + span);
  }

  #set(from, to) {
    const { first, last } = this.#data;
    const span = Math.min(to - from, Math.max(1, last - first));
    this.#from = Math.min(Math.max(from, first), Math.max(first, last - span));
    this.#to = this.#from + span;
    this.#whole = span >= last - first;
    this.#changed();
  }

  #later() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    const data = this.#data;
    const canvas = this.#canvas;
    const wide = canvas.parentElement.clientWidth;
    if (!data || !wide) return;
    const began = performance.now();
    const ratio = Math.min(2, devicePixelRatio || 1);
    const rows = Math.max(1, Math.min(data.lanes, MOST_ROWS));
    const height = Math.max(1, Math.min(14, Math.floor(TALLEST / rows)));
    const gutter = wide < NARROW ? 0 : 132;
    const size = { wide, gutter, rows, height, tall: rows * height };
    this.#size = size;
    const width = Math.round((wide - gutter) * ratio);
    const rowPixels = Math.round(height * ratio);
    const deep = rows * rowPixels;
    size.tall = deep / ratio;
    const colours = this.#colours ??= palette();
    const context = canvas.getContext('2d');
    // A canvas that gets a size is made anew, also where it is the same one.
    const whole = { width: Math.round(wide * ratio), height: deep + Math.round(AXIS * ratio) };
    if (canvas.width === whole.width && canvas.height === whole.height) context.reset(); else Object.assign(canvas, whole);
    const look = { data, colours, width, rows, height: rowPixels, from: this.#from, to: this.#to };
    context.putImageData(this.#lanes(look, deep), Math.round(gutter * ratio), 0);
    context.scale(ratio, ratio);
    this.#label(context, colours, size);
    this.drawn = performance.now() - began;
    canvas.dataset.drawn = this.drawn.toFixed(2);
  }

  /** The lanes as pixels. A pointer that moves over them changes none, so they stay until one looks at something else. */
  #lanes(look, deep) {
    if (this.#picture && Object.entries(look).every(([what, value]) => this.#picture.look[what] === value)) {
      return this.#picture.image;
    }
    const image = new ImageData(look.width, deep);
    draw(look.data, new Uint32Array(image.data.buffer), { ...look, ...look.colours });
    this.#picture = { look, image };
    return image;
  }

  #label(context, colours, { wide, gutter, rows, height, tall }) {
    const data = this.#data;
    context.font = colours.font;
    context.fillStyle = colours.text;
    context.strokeStyle = colours.line;
    context.textBaseline = 'middle';
    const rowHeight = tall / rows;
    let free = -Infinity;
    for (let lane = 0; lane < data.lanes; lane++) {
      if (lane && data.worker[lane] === data.worker[lane - 1]) continue;
      const y = Math.floor((lane * rows) / data.lanes) * rowHeight;
      if (lane && rowHeight >= 2) {
        context.beginPath(); context.moveTo(0, y + 0.5); context.lineTo(wide, y + 0.5); context.stroke();
      }
      if (gutter && y >= free) {
        context.fillText(this.#short(context, visible(this.#name(lane)), gutter - 10), 0, y + 7);
        free = y + 14;
      }
    }
    const step = tick((this.#to - this.#from) / Math.max(2, (wide - gutter) / 110));
    context.textBaseline = 'alphabetic';
    // Of the clock they are whole minutes and hours of the reader's zone.
    const zero = this.#on.run ? new Date(this.#from).getTimezoneOffset() * 60_000 : data.first;
    for (let at = Math.ceil((this.#from - zero) / step) * step; at <= this.#to - zero; at += step) {
      const x = this.#xOf(at + zero);
      const words = this.#on.run ? clock(at + zero, step) : at === 0 ? '0' : duration(at);
      context.fillRect(x, tall, 1, 4);
      if (x + context.measureText(words).width < wide) context.fillText(words, x + 3, tall + 15);
    }
    if (this.#drag && this.#drag.to !== undefined) {
      const [left, right] = [this.#xOf(this.#drag.from), this.#xOf(this.#drag.to)].sort((a, b) => a - b);
      context.strokeStyle = colours.ink;
      context.strokeRect(left + 0.5, 0.5, right - left, tall - 1);
    } else if (this.#cursor) {
      const { lane, item } = this.#cursor;
      const y = Math.floor((lane * rows) / data.lanes) * rowHeight;
      const left = Math.max(gutter, this.#xOf(data.start[item]));
      const right = Math.min(wide, Math.max(left + 3, this.#xOf(data.start[item] + data.length[item])));
      context.strokeStyle = colours.ink;
      context.lineWidth = 2;
      context.strokeRect(left - 1, y - 1, right - left + 2, Math.max(height, 3) + 2);
    }
  }

  #short(context, words, most) {
    if (context.measureText(words).width <= most) return words;
    let kept = words.length;
    while (kept > 1 && context.measureText(`…${words.slice(-kept)}`).width > most) kept--;
    return `…${words.slice(-kept)}`;
  }

  #name(lane) {
    return this.#names.get(this.#data.worker[lane]) ?? `worker ${this.#data.worker[lane]}`;
  }

  #xOf(at) {
    const { gutter, wide } = this.#size;
    return gutter + ((at - this.#from) / (this.#to - this.#from)) * (wide - gutter);
  }

  #timeAt(x) {
    const { gutter, wide } = this.#size;
    return this.#from + (Math.max(0, x - gutter) / (wide - gutter)) * (this.#to - this.#from);
  }

  #laneAt(y) {
    return Math.min(this.#data.lanes - 1, Math.max(0, Math.floor((y / this.#size.tall) * this.#data.lanes)));
  }

  #point(lane, item) {
    this.#cursor = item < 0 ? null : { lane, item };
    if (item >= 0) this.#on.say(this.#words(lane, item), item, this.#data);
    this.#later();
  }

  #words(lane, i) {
    const data = this.#data;
    const { run } = this.#on;
    const what = data.cells ? 'mostly'
      : `task ${number(data.task[i])}${run ? ` of ${run(i, data)}` : ''}, trial ${data.trial[i]}:`;
    const when = run ? `at ${clock(data.start[i], 1000)}` : `${duration(data.start[i] - data.first)} after the start`;
    return `${what} ${STATUSES[data.status[i]]} in ${duration(data.length[i])}, ${when}, `
      + `on ${this.#name(lane)} slot ${data.slot[lane]}`;
  }

  #moved(event) {
    if (!this.#data?.lanes || !this.#size) return;
    if (this.#drag) {
      this.#drag.to = this.#timeAt(event.offsetX);
      this.#later();
      return;
    }
    const lane = this.#laneAt(event.offsetY);
    const reach = (2 * (this.#to - this.#from)) / (this.#size.wide - this.#size.gutter);
    this.#point(lane, itemAt(this.#data, lane, this.#timeAt(event.offsetX), reach));
  }

  #pressed(event) {
    if (event.button !== 0 || !this.#data?.lanes) return;
    this.#drag = { from: this.#timeAt(event.offsetX), x: event.offsetX };
    this.#canvas.setPointerCapture(event.pointerId);
  }

  #released(event) {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    if (Math.abs(event.offsetX - drag.x) > 4) {
      const [from, to] = [drag.from, this.#timeAt(event.offsetX)].sort((a, b) => a - b);
      this.#set(from, to);
    } else {
      this.#open();
    }
  }

  #open() {
    if (this.#cursor && !this.#data.cells) this.#on.open(this.#cursor.item, this.#data);
  }

  #key(event) {
    const data = this.#data;
    if (!data?.n || event.ctrlKey || event.metaKey || event.altKey) return;
    const cursor = this.#cursor ?? { lane: 0, item: data.laneStart[0] };
    const step = (by) => {
      const item = this.#cursor ? cursor.item + by : cursor.item;
      if (item >= data.laneStart[cursor.lane] && item < data.laneStart[cursor.lane + 1]) {
        this.#point(cursor.lane, item);
        this.#follow(item);
      }
    };
    const jump = (by) => {
      const at = data.start[cursor.item];
      for (let lane = cursor.lane + by; lane >= 0 && lane < data.lanes; lane += by) {
        const item = itemAt(data, lane, at, this.#to - this.#from);
        if (item >= 0) return this.#point(lane, item);
      }
      return undefined;
    };
    const keys = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => jump(-1), ArrowDown: () => jump(1),
      '+': () => this.#zoom(0.5, data.start[cursor.item]), '=': () => this.#zoom(0.5, data.start[cursor.item]),
      '-': () => this.#zoom(2, data.start[cursor.item]), 0: () => this.reset(), Home: () => this.reset(),
      Enter: () => this.#open(),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  /** Keeps the cursor in view. */
  #follow(item) {
    const at = this.#data.start[item];
    const span = this.#to - this.#from;
    if (at < this.#from || at > this.#to) this.#set(at - span / 2, at + span / 2);
  }
}

/** A round step of time, ms, not below that. */
function tick(least) {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5,
    72e5, 108e5, 216e5, 432e5, 864e5];
  return steps.find((step) => step >= least) ?? Math.ceil(least / 864e5) * 864e5;
}
