// The first page: the namespaces that the token opens, and a way to any other.
import { html, nothing } from './html.js';
import { json, keep, known } from './api.js';
import { link } from './format.js';

const NAMESPACES = 'v1/namespaces';

export function startView(redraw) {
  let found;

  async function load(signal) {
    if (known()) found = await json(NAMESPACES, signal);
  }

  /** Without a token the answer asks for one. */
  async function give() {
    keep('');
    found = await json(NAMESPACES).catch(() => undefined);
    redraw();
  }

  function open(event) {
    event.preventDefault();
    const name = event.target.elements.namespace.value.trim();
    if (name) location.hash = link(name);
  }

  function opened() {
    if (!found) return nothing;
    return html`${found.items.length ? html`<h2>This token opens</h2><ul class="plain">${found.items.map(({ name }) => html`<li>
        <a href=${link(name)}>${name}</a></li>`)}</ul>` : html`<p>This token opens no namespace that was looked at.</p>`}
      ${found.more ? html`<p class="dim">More namespaces are on record than were looked at.</p>` : nothing}`;
  }

  return {
    load,
    template: () => html`<section class="start">
      <h1>Runs of a namespace</h1>
      ${opened()}
      <form @submit=${open}>
        <label>Namespace <input name="namespace" required autocomplete="off" spellcheck="false" autocapitalize="off"></label>
        <button>Show runs</button>
      </form>
      <p><button class="token" @click=${give}>${known() ? 'Use another token' : 'Give a token'}</button></p>
    </section>`,
  };
}
