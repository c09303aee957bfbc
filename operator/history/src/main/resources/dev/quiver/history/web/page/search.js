// Names, reasons and workers that have a text: of one run, or of the latest runs of a namespace.
import { html, nothing } from './html.js';
import { address, json, query } from './api.js';
import { badge, duration, link, number } from './format.js';
import { runTable } from './runs.js';

const LATEST = 1000;
const MOST = 200;

export function searchView(namespace, words, uid) {
  let found;
  let run;
  const has = (...texts) => texts.some((each) => each?.toLowerCase().includes(words.toLowerCase()));
  const base = address('namespaces', namespace, 'runs', ...(uid ? [uid] : []));

  /** An answer may be short, or empty, though others follow. */
  async function named(signal) {
    const items = [];
    let page = {};
    do {
      page = await json(query(`${base}/tasks`, { q: words, limit: MOST - items.length, continue: page.continue }), signal);
      items.push(...page.items);
    } while (page.continue && items.length < MOST);
    return items;
  }

  async function load(signal) {
    if (!uid) {
      const { items } = await json(query(base, { limit: LATEST }), signal);
      found = { runs: items.filter((each) => has(each.name, each.class, each.reason, each.pool)) };
      return;
    }
    const [whole, tasks, failures, workers] = await Promise.all([
      json(base, signal),
      named(signal),
      json(`${base}/failures`, signal),
      json(query(`${base}/workers`, { limit: 1000 }), signal),
    ]);
    run = whole;
    found = {
      tasks,
      failures: failures.items.filter((each) => has(each.reason, each.message)),
      workers: workers.items.filter((each) => has(each.pod, each.node, each.session)),
    };
  }

  const section = (title, items, body) => html`<section><h2>${title} <small>${number(items.length)}</small></h2>
    ${items.length ? body : html`<p class="dim">None.</p>`}</section>`;
  const task = (number_) => link(namespace, 'runs', uid, 'tasks', `${number_}`);

  return {
    load,
    crumbs: () => (uid ? html`<a href=${link(namespace, 'runs', uid)}>${run?.name ?? uid}</a>` : nothing),
    template() {
      if (!found) return html`<p class="empty">Searching…</p>`;
      const title = html`<div class="title"><h1>“${words}”</h1></div>`;
      if (!uid) {
        return html`${title}<p class="dim">Among the latest ${number(LATEST)} runs by name, class, reason and pool.
          Tasks and workers are searched within a run.</p>
          ${found.runs.length ? runTable(found.runs, namespace) : html`<p class="empty">No run has this text.</p>`}`;
      }
      return html`${title}
        ${section('Tasks', found.tasks, html`<ul class="plain">${found.tasks.map((each) => html`<li>
          ${badge(each.status)} <a href=${task(each.task)}>${each.name}</a>
          <small>${duration(each.runMillis)}</small></li>`)}</ul>`)}
        ${section('Reasons', found.failures, html`<ul class="plain">${found.failures.map((each) => html`<li>
          <a href=${task(each.firstTask)}>${each.reason || 'no reason'}</a> <small>${number(each.tasks)} tasks</small>
          ${each.message ?? ''}</li>`)}</ul>`)}
        ${section('Workers', found.workers, html`<ul class="plain">${found.workers.map((each) => html`<li>
          ${each.pod ?? each.session} <small>${each.node ?? ''}</small></li>`)}</ul>`)}`;
    },
  };
}
