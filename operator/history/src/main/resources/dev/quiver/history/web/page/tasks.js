// The tasks of a run as a list: by number or the slowest first, of all states or of one.
import { html, nothing } from './html.js';
import { json, query } from './api.js';
import { STATUSES, badge, duration, link, number } from './format.js';

const PAGE = 50;
const MOST = 1000;

/** `base` is the address of the run; `given` has order and state as the page's address has them. */
export function taskList(base, namespace, uid, given, change) {
  const order = given.order === 'number' ? '' : 'slowest';
  const state = STATUSES.includes(given.state) ? given.state : '';
  let items;
  let next;
  let wanted = PAGE;

  async function load(signal) {
    const page = await json(query(`${base}/tasks`, { order, status: state, limit: wanted }), signal);
    items = page.items;
    next = page.continue;
  }

  async function more(redraw) {
    wanted += PAGE;
    await load().catch(() => {});
    redraw();
  }

  const choice = (words, name, value, values) => html`<label>${words} <select
    @change=${(event) => change({ [name]: event.target.value })}>${values.map(([its, said]) => html`<option value=${its}
      ?selected=${its === value}>${said}</option>`)}</select></label>`;

  return {
    load,
    template: (redraw) => html`<section class="tasks"><div class="heading"><h2>Tasks</h2><div class="filters">
        ${choice('Order', 'order', given.order ?? '', [['', 'Slowest first'], ['number', 'By number']])}
        ${choice('State', 'state', state, [['', 'All'], ...STATUSES.map((each) => [each, each])])}</div></div>
      ${items?.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Tasks"><table>
        <thead><tr><th>Task</th><th>State</th><th class="n">Trials</th><th class="n">Took</th><th>Reason</th></tr></thead>
        <tbody>${items.map((each) => html`<tr><th scope="row"><a href=${link(namespace, 'runs', uid, 'tasks', `${each.task}`)}>${
    each.name ?? `Task ${number(each.task)}`}</a></th><td>${badge(each.status)}</td><td class="n">${number(each.trials)}</td>
          <td class="n">${duration(each.runMillis)}</td><td>${each.reason ?? ''}</td></tr>`)}</tbody></table></div>
        ${next && wanted < MOST ? html`<button class="more" @click=${() => more(redraw)}>More tasks</button>` : nothing}`
    : html`<p class="dim">${!items ? 'Loading…' : state ? `No task is ${state}.` : 'No task has ended yet.'}</p>`}</section>`,
  };
}
