// The runs of a namespace, the newest first.
import { html, nothing } from './html.js';
import { address, json, query } from './api.js';
import { badge, duration, elapsed, link, number, runState, time } from './format.js';

const KINDS = ['TaskSet', 'Task', 'MapReduceJob', 'Queue'];
// Runs that go on and have their figures in the list.
const WATCHED = 8;
const STATES = ['succeeded', 'failed', 'cancelled', 'lost', 'running'];

/** A bar of a run's outcome, with the numbers as its text. */
export function outcome(run) {
  const total = Math.max(1, run.tasks ?? 0);
  const part = (n) => (100 * (n ?? 0)) / total;
  const passed = part(run.succeededCount);
  // One failure among many is seen.
  const failed = run.failedCount ? Math.max(1, part(run.failedCount)) : 0;
  const begin = Math.min(passed, 100 - failed);
  const pending = part(run.pendingCount);
  return html`<svg class="outcome" role="img" viewBox="0 0 100 6" preserveAspectRatio="none"
    aria-label="${number(run.succeededCount)} passed, ${number(run.failedCount)} failed, of ${number(run.tasks)}">
    <rect class="rest" width="100" height="6"></rect>
    <rect class="passed" width=${passed} height="6"></rect>
    <rect class="failed" x=${begin} width=${failed} height="6"></rect>
    <rect class="pending" x=${begin + failed} width=${pending} height="6"></rect></svg>`;
}

/** Rows of a table of runs. */
export function runTable(runs, namespace, now) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Runs"><table class="runs">
    <thead><tr><th>Run</th><th>State</th><th class="hide">Kind</th><th class="n">Tasks</th><th class="n">Failed</th>
      <th class="wide hide">Outcome</th><th class="n">Took</th><th class="hide">Created</th></tr></thead>
    <tbody>${runs.map((run) => [run, run.status ? run : run.live]).map(([run, now]) => html`<tr>
      <th scope="row"><a href=${link(namespace, 'runs', run.uid)}>${run.name}</a>
        ${run.class && run.class !== run.name ? html`<small>${run.class}</small>` : nothing}</th>
      <td>${badge(runState(run))}${run.reason && run.status !== 'succeeded'
    ? html` <small>${run.reason}</small>` : nothing}</td>
      <td class="hide">${run.kind}</td>
      <td class="n">${run.live ? html`${number((now.succeededCount ?? 0) + (now.failedCount ?? 0))} <span class="dim">of
        ${number(now.tasks)}</span>` : number(run.tasks)}</td>
      <td class="n ${now?.failedCount ? 'bad' : ''}">${number(now?.failedCount)}</td>
      <td class="wide hide">${now?.tasks ? outcome(now) : nothing}</td>
      <td class="n">${duration(elapsed(run, now))}</td>
      <td class="hide">${time(run.createdAt)}</td></tr>`)}</tbody></table></div>`;
}

/** `given` has the filters of the address. */
export function runsView(namespace, given, redraw) {
  let pages = [];
  let next;
  const filter = {
    kind: KINDS.includes(given.kind) ? given.kind : '', state: STATES.includes(given.state) ? given.state : '',
  };
  let loaded = false;
  const path = (token) => query(address('namespaces', namespace, 'runs'), {
    kind: filter.kind,
    status: filter.state === 'running' ? '' : filter.state,
    live: filter.state === 'running' ? 'true' : '',
    limit: 50,
    continue: token,
  });

  async function load(signal) {
    const page = await json(path(), signal);
    await Promise.all(page.items.filter((run) => !run.status).slice(0, WATCHED).map(async (run) => {
      const now = await json(address('namespaces', namespace, 'runs', run.uid), signal).catch(() => undefined);
      if (now?.live) Object.assign(run, { live: now.live });
    }));
    loaded = true;
    // Further pages stay as they were read: what is new is on the first.
    if (pages.length < 2) { next = page.continue; pages = [page.items]; } else { pages[0] = page.items; }
  }

  /** A choice is an address of its own, so the browser's Back undoes it. */
  function change(name, value) {
    location.hash = query(link(namespace), { ...filter, [name]: value });
  }

  async function more() {
    const page = await json(path(next));
    pages.push(page.items);
    next = page.continue;
    redraw();
  }

  const choice = (name, words, values) => html`<label>${words}
    <select @change=${(event) => change(name, event.target.value)}>
      <option value="">All</option>${values.map((value) => html`<option ?selected=${value === filter[name]}>${value}</option>`)}</select></label>`;

  return {
    load,
    live: () => true,
    template() {
      const seen = new Set();
      const runs = pages.flat().filter((run) => !seen.has(run.uid) && seen.add(run.uid));
      return html`<div class="title"><h1>Runs</h1>
          <div class="filters">${choice('kind', 'Kind', KINDS)}${choice('state', 'State', STATES)}</div></div>
        ${runs.length ? runTable(runs, namespace)
    : html`<p class="empty">${loaded ? 'No run is recorded here.' : 'Loading…'}</p>`}
        ${next ? html`<button class="more" @click=${more}>Older runs</button>` : nothing}`;
    },
  };
}
