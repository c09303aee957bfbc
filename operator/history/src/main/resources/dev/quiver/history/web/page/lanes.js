// A timeline with its tools and its legend, and the same as a table.
import { html, nothing } from './html.js';
import { byWorker, counts } from './columns.js';
import { STATUSES, duration, number, plural } from './format.js';
import { Timeline } from './timeline.js';
import { placed, query } from './api.js';

const RESTS = 150;
const MOST_NAMES = 1000;

/** `on` has `fetch(view)`, which promises the columns of a view, `redraw()`, and `open` and `run` as a Timeline has them. */
export class Lanes {
  #on; #picture; #data; #detail; #names = new Map(); #said = ''; #resting = 0; #pointed = 0; #tasks = new Map();

  constructor(on) {
    this.#on = on;
  }

  /** Shows other data; `names` has those of the workers, by id. */
  show(data, names) {
    this.#data = data;
    this.#names = names;
    this.#on.redraw();
    this.#attach();
  }

  close() {
    this.#picture?.close();
    clearTimeout(this.#resting);
    clearTimeout(this.#pointed);
  }

  #attach() {
    const canvas = document.getElementById('timeline');
    if (!canvas) return;
    this.#picture ??= new Timeline(canvas, {
      say: (words, item, data) => this.#say(words, item, data),
      given: this.#on.given,
      open: this.#on.open,
      run: this.#on.run,
      view: () => this.#zoomed(),
    });
    const first = this.#picture.empty;
    this.#picture.show(this.#picture.view && this.#detail ? this.#detail : this.#data, this.#names);
    if (first && this.#picture.view) this.#zoomed();
  }

  /** A task's name comes once the pointer rests on it, and takes the place of its number. */
  #say(words, item, data) {
    const number_ = data.cells || !this.#on.name ? undefined : data.task[item];
    const named = () => words.replace(/^task \d+(,\d{3})*/, () => this.#tasks.get(number_) ?? `task ${number(number_)}`);
    clearTimeout(this.#pointed);
    this.#said = this.#tasks.has(number_) ? named() : words;
    this.#on.redraw();
    if (number_ === undefined || this.#tasks.has(number_)) return;
    this.#pointed = setTimeout(async () => {
      const name = await this.#on.name(item, data).catch(() => undefined);
      if (this.#tasks.size >= MOST_NAMES) this.#tasks.clear();
      this.#tasks.set(number_, name);
      if (this.#said === words) { this.#said = named(); this.#on.redraw(); }
    }, RESTS);
  }

  /** The address has what is in view, so Back and a copied address lead to it. */
  #place() {
    if (!this.#on.given) return;
    const { from, to, ...others } = placed();
    history.replaceState(null, '', query(location.hash.split('?')[0], { ...others, ...this.#picture.view }));
  }

  /** Cells are asked for again, finer, once the view rests. */
  #zoomed() {
    this.#on.redraw();
    this.#place();
    if (!this.#data.cells) return;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(async () => {
      const { view } = this.#picture;
      const { first, last } = this.#data;
      this.#detail = view && { ...await this.#on.fetch(view), first, last };
      this.#attach();
    }, RESTS);
  }

  /** @param empty words where nothing is recorded */
  template(empty) {
    const data = this.#data;
    const found = data.n ? counts(data) : [];
    const picture = this.#picture;
    const view = picture?.view;
    return html`<section>
      <div class="heading"><h2>Workers and trials</h2>
        <p class="dim">${data.trials === undefined ? 'Trials' : plural(data.trials, 'trial')} on ${plural(data.lanes, 'slot')}${
  view ? html` · ${duration(view.to - view.from)} in view` : nothing}${
  data.leftOut ? html` · ${number(data.leftOut)} on further slots not drawn` : nothing}</p>
        <div class="tools">
          <button @click=${() => picture?.zoom(0.5)} aria-label="Zoom in" ?disabled=${!data.n}>+</button>
          <button @click=${() => picture?.zoom(2)} aria-label="Zoom out" ?disabled=${!data.n}>−</button>
          <button @click=${() => picture?.reset()} ?disabled=${!view}>All</button></div></div>
      <div class="canvas" ?hidden=${!data.n}><canvas id="timeline" tabindex="0" role="application"
        aria-roledescription="timeline" aria-describedby="timeline-help"
        aria-label=${`Timeline of ${data.trials === undefined ? '' : number(data.trials)} trials on ${number(data.lanes)} slots`}></canvas></div>
      ${data.n ? html`<p class="readout" aria-live="polite">${this.#said || html`<span class="dim">Point at a trial; drag
          to zoom.</span>`}</p>
        <ul class="legend" aria-label="Legend">${STATUSES.map((status, i) => (found[i]
    ? html`<li><i class=${status}></i>${status}${data.cells ? nothing : html` <b>${number(found[i])}</b>`}</li>`
    : nothing))}</ul>
        <p id="timeline-help" class="hidden">Left and right go from trial to trial, up and down from slot to slot, plus
          and minus zoom, 0 shows all, Enter opens the trial. The table below has the same by worker.</p>
        <details><summary>The same as a table</summary>${this.#times()}</details>`
    : html`<p class="empty">${empty}</p>`}</section>`;
  }

  #times() {
    const data = this.#data;
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Times of the workers"><table>
      <thead><tr><th>Worker</th><th class="n">Slots</th><th class="n">${data.cells ? 'Spans' : 'Trials'}</th>
        <th class="n">Not passed</th><th class="n">Busy</th><th class="n">Longest</th><th class="n">Last end</th></tr></thead>
      <tbody>${byWorker(data).slice(0, 200).map((each) => html`<tr>
        <th scope="row">${this.#names.get(each.id) ?? each.id}</th>
        <td class="n">${each.slots}</td><td class="n">${number(each.trials)}</td><td class="n ${each.notPassed ? 'bad' : ''}">${number(each.notPassed)}</td>
        <td class="n">${duration(each.busy)}</td><td class="n">${duration(each.longest)}</td>
        <td class="n">${duration(each.last - data.first)}</td></tr>`)}</tbody></table></div>`;
  }
}
