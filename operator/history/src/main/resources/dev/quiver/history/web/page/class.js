// What a class remembers of its tests: the slowest ones, those that passed late, and those that fail.
import { html, nothing } from './html.js';
import { address, json, query } from './api.js';
import { duration, link, number, plural } from './format.js';

const MOST = 200;
const ORDERS = ['slowest', 'flaky', 'failing'];
const EMPTY = {
  slowest: 'No run of this class has ended with names of its tests.',
  flaky: 'No test passed only after a trial that did not.',
  failing: 'Each test passed when it last ran.',
};

export function classView(namespace, class_, redraw) {
  let order = ORDERS[0];
  let found;
  let failing = [];

  async function load(signal) {
    const path = address('namespaces', namespace, 'classes', class_, 'tests');
    const first = async (its) => (await json(query(path, { order: its, limit: MOST }), signal)).items;
    try {
      [found, failing] = await Promise.all([first(order), first('failing')]);
    } catch (error) {
      if (error.code !== 404) throw error;
      found = [];
      failing = [];
    }
  }

  /** How it fares lately, where that is not well. */
  function trouble(test) {
    if (test.failing && test.failing === test.ran) {
      return `failed ${test.ran === 1 ? 'in its one run' : `in each of its ${number(test.ran)} runs`}`;
    }
    if (test.failing) return `failed ${test.failing === 1 ? 'in its latest run' : `in its latest ${number(test.failing)} runs`}`;
    return test.ran && test.usualMillis === undefined ? 'never passed' : undefined;
  }

  /** What fails is said whatever is listed: by time, a test that never passed is behind all others. */
  function summary() {
    if (!failing.length) return nothing;
    const many = failing.length === MOST ? `${number(MOST)} tests or more` : plural(failing.length, 'test');
    const always = failing.filter((test) => test.failing === test.ran).length;
    return html`<p class="failing"><span class="bad">${many} failed when ${failing.length === 1 ? 'it' : 'they'} last ran</span>${always
      ? `, ${number(always)} of them in each run` : ''}.
      ${order === 'failing' ? nothing : html`<button
      @click=${() => change('failing')}>Show them</button>`}</p>`;
  }

  async function change(next) {
    order = next;
    await load().catch(() => {});
    redraw();
  }

  function table() {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Tests"><table>
      <thead><tr><th>Test</th><th class="n">Usual time</th><th class="n">Runs</th><th class="n">Failed</th><th class="n">Passed late</th></tr></thead>
      <tbody>${found.map((test) => html`<tr>
        <th scope="row"><a href=${link(namespace, 'tests', class_, test.name)}>${test.name}</a>${
    trouble(test) ? html` <small class="bad">${trouble(test)}</small>` : nothing}</th>
        <td class="n">${duration(test.usualMillis)}</td><td class="n">${number(test.ran)}</td>
        <td class="n ${test.failed ? 'bad' : ''}">${number(test.failed)}</td>
        <td class="n ${test.hurt ? 'bad' : ''}">${number(test.hurt)}</td></tr>`)}</tbody></table></div>`;
  }

  function empty() {
    return html`<p class="empty">${EMPTY[order]}</p>`;
  }

  return {
    load,
    crumbs: () => html`<span>${class_}</span>`,
    template() {
      return html`<div class="title"><h1>Tests of ${class_}</h1><div class="tools tabs" role="group" aria-label="Order">
          ${ORDERS.map((each) => html`<button aria-pressed=${each === order} @click=${() => change(each)}>${each}</button>`)}
        </div></div>
        ${summary()}
        <p class="dim">Of the last 64 runs. Usual is the time of a pass on a log scale, where no run counts for much; a test
          passed late in a run where it passed after a trial that did not.</p>
        ${!found ? html`<p class="empty">Loading…</p>` : found.length ? table() : empty()}`;
    },
  };
}
