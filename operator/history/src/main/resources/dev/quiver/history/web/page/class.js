// What a class remembers of its tests: the slowest ones, and those that passed only after a trial that did not.
import { html, nothing } from './html.js';
import { address, json, query } from './api.js';
import { duration, link, number } from './format.js';

const MOST = 200;
const ORDERS = ['slowest', 'flaky'];

export function classView(namespace, class_, redraw) {
  let order = ORDERS[0];
  let found;

  async function load(signal) {
    const path = address('namespaces', namespace, 'classes', class_, 'tests');
    try {
      found = (await json(query(path, { order, limit: MOST }), signal)).items;
    } catch (error) {
      if (error.code !== 404) throw error;
      found = [];
    }
  }

  async function change(next) {
    order = next;
    await load().catch(() => {});
    redraw();
  }

  function table() {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Tests"><table>
      <thead><tr><th>Test</th><th class="n">Usual time</th><th class="n">Runs</th><th class="n">Passed late</th></tr></thead>
      <tbody>${found.map((test) => html`<tr>
        <th scope="row"><a href=${link(namespace, 'tests', class_, test.name)}>${test.name}</a>${
    test.ran && test.usualMillis === undefined ? html` <small class="bad">never passed</small>` : nothing}</th>
        <td class="n">${duration(test.usualMillis)}</td><td class="n">${number(test.ran)}</td>
        <td class="n ${test.hurt ? 'bad' : ''}">${number(test.hurt)}</td></tr>`)}</tbody></table></div>`;
  }

  function empty() {
    return html`<p class="empty">${order === 'flaky' ? 'No test passed only after a trial that did not.'
      : 'No run of this class has ended with names of its tests.'}</p>`;
  }

  return {
    load,
    crumbs: () => html`<span>${class_}</span>`,
    template() {
      return html`<div class="title"><h1>Tests of ${class_}</h1><div class="tools tabs" role="group" aria-label="Order">
          ${ORDERS.map((each) => html`<button aria-pressed=${each === order} @click=${() => change(each)}>${each}</button>`)}
        </div></div>
        <p class="dim">Of the last 64 runs. Usual is the time of a pass on a log scale, where no run counts for much; a test
          passed late in a run where it passed after a trial that did not.</p>
        ${!found ? html`<p class="empty">Loading…</p>` : found.length ? table() : empty()}`;
    },
  };
}
