// A pool: which of its slots worked on which trial of any run.
import { html, nothing } from './html.js';
import { address, bytes, json, query } from './api.js';
import { byRun, decodePool } from './columns.js';
import { duration, link, number, time } from './format.js';
import { Lanes } from './lanes.js';

const HOUR = 3_600_000;
const SPANS = [[1, 'Last hour'], [6, 'Last 6 hours'], [24, 'Last day']];
const COLUMNS = 2048;

/** The latest hours, or from one instant to another, in ms since 1970. */
export function poolView(namespace, pool, from, to, given, redraw) {
  const path = `${address('namespaces', namespace, 'pools', pool)}/timeline`;
  const fixed = from !== undefined && to !== undefined;
  let hours = 1;
  let data;
  let signal;
  const lanes = new Lanes({
    fetch,
    redraw,
    open: (item, its) => { location.hash = link(namespace, 'runs', its.runs[its.run[item]].uid, 'tasks', `${its.task[item]}`); },
    name: async (item, its) => (await json(`${address('namespaces', namespace, 'runs', its.runs[its.run[item]].uid)}/tasks/${
      its.task[item]}/trials`, signal)).items.at(0)?.name,
    given: fixed ? given : undefined,
    run: (item, its) => its.runs[its.run[item]].name,
  });

  async function fetch(view) {
    return decodePool(await bytes(query(path, { ...view, px: COLUMNS }), signal));
  }

  async function load(its) {
    signal = its;
    // The last hour is that of the server's clock.
    const found = await fetch(fixed ? { from, to } : { from: hours > 1 ? Date.now() - hours * HOUR : undefined });
    data = { ...found, first: found.from, last: found.to };
    lanes.show(data, new Map(data.workers.map((each) => [each.id, each.pod ?? each.session])));
  }

  async function change(value) {
    hours = value;
    await load(signal).catch(() => {});
  }

  function runs() {
    const found = byRun(data);
    return html`<section><h2>Runs <small>${number(found.length)}${data.more ? '+' : ''}</small></h2>
      ${data.more ? html`<p class="dim">The latest ones alone: earlier runs are left out.</p>` : nothing}
      ${found.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Runs"><table>
        <thead><tr><th>Run</th><th class="hide">Kind</th><th class="n">Trials</th><th class="n">Not passed</th>
          <th class="n">Busy</th></tr></thead>
        <tbody>${found.map((run) => html`<tr>
          <th scope="row"><a href=${link(namespace, 'runs', run.uid)}>${run.name}</a></th>
          <td class="hide">${run.kind}</td><td class="n">${number(run.trials)}</td>
          <td class="n ${run.notPassed ? 'bad' : ''}">${number(run.notPassed)}</td>
          <td class="n">${duration(run.busy)}</td></tr>`)}</tbody></table></div>`
    : html`<p class="dim">None.</p>`}</section>`;
  }

  return {
    load,
    live: () => !fixed,
    period: 10_000,
    close: () => lanes.close(),
    crumbs: () => html`<span>${pool}</span>`,
    template() {
      if (!data) return html`<p class="empty">Loading…</p>`;
      return html`<div class="title"><h1>${pool}</h1><span class="dim">worker pool</span>
          <div class="filters">${fixed ? html`<a href=${link(namespace, 'pools', pool)}>Last hour</a>`
    : html`<label>Time <select @change=${(event) => change(Number(event.target.value))}>${SPANS.map(([value, words]) => html`
            <option value=${value} ?selected=${value === hours}>${words}</option>`)}</select></label>`}</div></div>
        <p class="dim">All runs on its workers from ${time(data.from)} to ${time(data.to)}.</p>
        ${lanes.template('No trial of a run is recorded in this time.')}
        ${runs()}`;
    },
  };
}
