// A worker in a run: where it ran, what it did there, and its log.
import { html, nothing } from './html.js';
import { address, json, query, text } from './api.js';
import { counts } from './columns.js';
import { STATUSES, badge, duration, link, number, percent, time } from './format.js';
import { growing } from './growing.js';
import { Lanes } from './lanes.js';
import { block, printable } from './output.js';

// A worker is found in the list of all of them, so it is looked for less often than its trials are.
const ABOUT = 10_000;
const PAGE = 1000;
const MOST_PAGES = 20;
const ROWS = 10;

/** `id` is that of the API's list of workers. */
export function workerView(namespace, uid, id, given, redraw) {
  const base = address('namespaces', namespace, 'runs', uid);
  const names = new Map();
  let run;
  let worker;
  let asked = 0;
  let data;
  let log;
  let signal;
  const nameOf = async (task) => {
    if (!names.has(task)) {
      names.set(task, (await json(`${base}/tasks/${task}/trials`, signal)).items.at(0)?.name);
    }
    return names.get(task);
  };
  const timeline = growing(base, /^\d{1,15}$/.test(id) ? id : '0');
  const lanes = new Lanes({
    redraw,
    fetch: (view) => timeline.view(signal, view),
    open: (item, its) => { location.hash = link(namespace, 'runs', uid, 'tasks', `${its.task[item]}`); },
    name: (item, its) => nameOf(its.task[item]),
    given,
  });

  async function find() {
    let token;
    for (let page = 0; page < MOST_PAGES; page++) {
      const list = await json(query(`${base}/workers`, { limit: PAGE, continue: token }), signal);
      const found = list.items.find((each) => `${each.id}` === id);
      if (found || !list.continue) return found;
      token = list.continue;
    }
    return undefined;
  }

  /** The items of its lanes that `of` takes, the longest first. */
  const longest = (of) => Array.from({ length: data.n }, (_, i) => i).filter((i) => of(data.status[i]))
    .sort((a, b) => data.length[b] - data.length[a]).slice(0, ROWS);

  async function load(its) {
    signal = its;
    run = await json(base, signal);
    const stale = !worker || run.status || Date.now() - asked > ABOUT;
    const [about, picture] = await Promise.all([stale ? find() : worker,
      run.status ? timeline.view(signal) : timeline.grown(signal)]);
    worker = about;
    data = picture;
    if (stale) {
      if (worker?.log) log = printable(await text(`${base}/workers/${id}/log`, signal));
      asked = Date.now();
    }
    if (!data.cells) {
      const shown = [...longest((status) => status !== 0), ...longest(() => true)];
      await Promise.all([...new Set(shown.map((i) => data.task[i]))].map((task) => nameOf(task).catch(() => undefined)));
    }
    if (worker) lanes.show(data, new Map([[worker.id, worker.pod ?? worker.session]]));
  }

  const fact = (name, value) => (value === undefined ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`);

  /** The share of its slots' time in the run; a worker of a shared pool was there before, and stays. */
  function busy() {
    const known = (...times) => times.filter(Boolean).map((each) => Date.parse(each));
    const from = Math.max(...known(worker.startedAt ?? worker.openedAt, run.startedAt));
    const to = Math.min(Date.now(), ...known(worker.finishedAt ?? worker.closedAt, run.finishedAt));
    const worked = data.length.reduce((sum, each) => sum + each, 0);
    const room = (to - from) * (worker.slots ?? data.lanes);
    return data.cells || !(room > 0) ? undefined : percent(Math.min(1, worked / room));
  }

  function table(title, items) {
    return items.length ? html`<section><h2>${title}</h2><div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
      <thead><tr><th>Task</th><th class="n">Trial</th><th>State</th><th class="n">Took</th></tr></thead>
      <tbody>${items.map((i) => html`<tr><th scope="row"><a href=${link(namespace, 'runs', uid, 'tasks', `${data.task[i]}`)}>${
  names.get(data.task[i]) ?? `task ${number(data.task[i])}`}</a></th><td class="n">${data.trial[i]}</td>
        <td>${badge(STATUSES[data.status[i]])}</td><td class="n">${duration(data.length[i])}</td></tr>`)}</tbody></table></div>
      </section>` : nothing;
  }

  return {
    load,
    live: () => run && !run.status && worker && !worker.closedAt,
    close: () => lanes.close(),
    crumbs: () => html`<a href=${link(namespace, 'runs', uid)}>${run?.name ?? uid}</a>`,
    template() {
      if (!run) return html`<p class="empty">Loading…</p>`;
      if (!worker) return html`<h1>Worker ${id}</h1><p class="empty">No such worker took part in this run.</p>`;
      const found = data.n ? counts(data) : [];
      return html`<div class="title"><h1>${worker.pod ?? worker.session}</h1><span class="dim">worker</span></div>
        <dl class="facts">${fact('Node', worker.node)}
          ${worker.pool ? fact('Pool', html`<a href=${link(namespace, 'pools', worker.pool)}>${worker.pool}</a>`) : nothing}
          ${fact('Slots', worker.slots && number(worker.slots))}
          ${fact('Joined', worker.openedAt && time(worker.openedAt))}
          ${fact('Left', worker.closedAt && time(worker.closedAt))}${fact('Ended', worker.ended)}
          ${fact('In the run from', worker.startedAt && time(worker.startedAt))}
          ${fact('to', worker.finishedAt && time(worker.finishedAt))}
          ${fact('Busy', busy())}
          ${data.cells ? nothing : STATUSES.map((status, i) => (found[i] ? fact(status, number(found[i])) : nothing))}</dl>
        ${data.cells ? nothing : table('Not passed, the longest first', longest((status) => status !== 0))}
        ${data.cells ? html`<p class="dim">It ran too many trials to list them; the picture has them all.</p>` : nothing}
        ${lanes.template('No trial of it is recorded yet.')}
        ${data.cells ? nothing : table('Longest trials', longest(() => true))}
        ${worker.log ? html`<section><h2>Log <small>its end, and what its slots printed between tasks</small></h2>
          ${block(log ?? '', 'Log')}</section>` : nothing}`;
    },
  };
}
