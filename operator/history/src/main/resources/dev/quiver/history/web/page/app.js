// The frame of the page: which view an address has, what is fresh, and the token.
import { html, render, nothing, visible } from './html.js';
import { events, json, keep, known, onUnauthorized, save } from './api.js';
import { link } from './format.js';
import { runsView } from './runs.js';

const POLL = 2000;
const ABOUT = 60000;
const AWAY = 'emptyDir is known';

let view = null;
let parts = [];
let given = {};
let failure = null;
let fresh = 0;
let loading = true;
let controller = new AbortController();
let timer = 0;
let following = null;
let token = null;
let offered = null;
let about = { asked: 0 };

/**
 * A fragment with a token is read once; behind it may stand the view to go on to. Whoever made the link chose the token,
 * so a person is asked before it is used.
 */
function takeToken() {
  const link_ = /^#token=([^&]+)(?:&at=(\/.*))?$/.exec(location.hash);
  if (link_) {
    offered = decoded(link_[1]);
    history.replaceState(null, '', `#${link_[2] ?? '/'}`);
  }
}

/** Whose token it says it is; nobody has checked that. */
function owner(value) {
  try {
    const claims = atob(value.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'));
    const { sub } = JSON.parse(new TextDecoder().decode(Uint8Array.from(claims, (c) => c.charCodeAt(0))));
    const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(sub) ?? [];
    return account ? html`account <b>${account}</b> in namespace <b>${namespace}</b>` : html`user <b>${`${sub}`}</b>`;
  } catch {
    return html`<b>nobody that this page can name</b>`;
  }
}

function offerDialog() {
  const answer = (event) => {
    if (event.submitter?.name === 'use') keep(offered);
    event.preventDefault();
    offered = null;
    route();
  };
  return html`<dialog aria-labelledby="offer-title" @cancel=${(event) => event.preventDefault()}>
    <form class="offer" @submit=${answer}>
      <h2 id="offer-title">Take the token of this link?</h2>
      <p>It is the token of ${owner(offered)}. Take it only from a link that you or your own tools made.</p>
      <button name="use">Take it</button> <button name="leave" autofocus>Leave it</button>
    </form>
  </dialog>`;
}

/** Views that are not the first one come when they are looked at, so the first load stays small. */
async function viewOf([namespace, kind, ...rest], redraw) {
  const start = async () => (await import('./start.js')).startView(redraw);
  if (!namespace) return start();
  if (!kind) return runsView(namespace, given, redraw);
  if (kind === 'search') return (await import('./search.js')).searchView(namespace, rest[0] ?? '', rest[1], redraw);
  if (kind === 'classes') return (await import('./class.js')).classView(namespace, rest[0], redraw);
  if (kind === 'tests') return (await import('./task.js')).testView(namespace, rest[0], rest[1], redraw);
  if (kind === 'pools') return (await import('./pool.js')).poolView(namespace, rest[0], rest[1], rest[2], given, redraw);
  if (kind !== 'runs') return start();
  if (rest[1] === 'workers') return (await import('./worker.js')).workerView(namespace, rest[0], rest[2], given, redraw);
  return rest[1] === 'tasks' ? (await import('./task.js')).taskView(namespace, rest[0], rest[2], redraw)
    : (await import('./run.js')).runView(namespace, rest[0], given, redraw);
}

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

async function route() {
  takeToken();
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  clearTimeout(timer);
  view?.close?.();
  view = null;
  const [path, choices] = location.hash.replace(/^#\/?/, '').split('?');
  parts = path.split('/').filter(Boolean).map(decoded);
  given = Object.fromEntries(new URLSearchParams(choices));
  failure = null;
  fresh = 0;
  loading = true;
  if (offered) {
    draw();
    return;
  }
  document.title = visible([...parts.slice(0, 1), ...parts.slice(2, parts[1] === 'pools' ? 3 : undefined), 'Quiver'].join(' · '));
  draw();
  scrollTo(0, 0);
  let its = null;
  try {
    its = await viewOf(parts, draw);
  } catch {
    if (signal.aborted) return;
    failure = new Error('History does not answer; the port-forward may have ended. Load this page again');
  }
  if (signal.aborted) return;
  view = its;
  loading = view !== null;
  draw();
  load(signal);
}

async function load(signal) {
  if (!view) return;
  try {
    await view.load(signal);
    if (known() && Date.now() - about.asked > ABOUT) {
      about = { ...await json('v1/about', signal), asked: Date.now() };
    }
    failure = null;
    fresh = Date.now();
  } catch (error) {
    if (signal.aborted) return;
    failure = error;
  }
  if (signal.aborted) return;
  loading = false;
  draw();
  if (!view.live?.() && !failure) return;
  // Rights seldom come while one waits, and each refusal costs the API server a review.
  if (failure?.code === 403) return;
  const path = failure ? undefined : view.events?.();
  if (path && following !== signal) follow(path, signal);
  if (following !== signal) again(signal);
}

function again(signal) {
  clearTimeout(timer);
  timer = setTimeout(() => load(signal), failure ? POLL : view.period ?? POLL);
}

/** While a stream of events is open it tells when to load, at most each 2 s; without one the page asks by itself. */
async function follow(path, signal) {
  following = signal;
  let due = 0;
  const told = () => {
    due ||= setTimeout(() => { due = 0; if (!signal.aborted) load(signal); }, POLL);
  };
  try {
    await events(path, signal, told);
  } catch {
    // Asking goes on below, and has the words of a failure.
  }
  if (following === signal) following = null;
  if (!signal.aborted) again(signal);
}

function header() {
  const [namespace, , run] = parts;
  return html`
    <header>
      <a class="brand" href="#/">Quiver</a>
      <nav aria-label="Place">
        ${namespace ? html`<a href=${link(namespace)}>${namespace}</a>` : nothing}
        ${view?.crumbs?.() ?? nothing}
      </nav>
      ${namespace ? html`<form role="search" @submit=${search}>
        <input name="q" type="search" autocomplete="off" spellcheck="false" maxlength="200"
          aria-label="Search names, reasons, workers" placeholder="Search names, reasons, workers"
          .value=${parts[1] === 'search' ? parts[2] ?? '' : ''} data-run=${parts[1] === 'runs' ? run : parts[1] === 'search' ? parts[3] ?? '' : ''}>
      </form>` : nothing}
    </header>`;
}

function search(event) {
  event.preventDefault();
  const field = event.target.elements.q;
  const words = field.value.trim();
  if (words) location.hash = link(parts[0], 'search', words, ...(field.dataset.run ? [field.dataset.run] : []));
}

/** Whether a person of this browser has read about the emptyDir. */
const away = () => localStorage.getItem(AWAY) !== null;

function putAway() {
  localStorage.setItem(AWAY, '1');
  draw();
}

/** What is to be known of the whole record. */
function banner() {
  return html`${about.emptyDir && !away() ? html`<p class="notice" role="status">This history is on an emptyDir: it ends with its
      pod, at the next upgrade or drain. The chart's <code>history.persistence</code> brings a volume.
      <button @click=${putAway}>Put away</button></p>` : nothing}
    ${about.replaced ? html`<p class="notice" role="status">Earlier runs may be missing: ${about.replaced}.</p>` : nothing}
    ${about.setAside ? html`<p class="notice" role="status">Earlier runs are missing: a damaged file was set aside as
      ${about.setAside}.</p>` : nothing}
    ${about.shortage ? html`<p class="notice" role="status">There is too little room: ${about.shortage}.</p>` : nothing}
    ${about.trouble ? html`<p class="notice" role="status">The record does not grow: ${about.trouble}.</p>` : nothing}`;
}

function staleness() {
  if (failure) {
    return html`<p class="notice" role="alert">${failure.message}.${
      fresh ? html` These figures are from ${new Date(fresh).toLocaleTimeString()}.` : nothing}
      ${failure.code === 403 ? html`<a href="#/">See what this token opens</a>.` : 'The page tries again each 2 s.'}</p>`;
  }
  return nothing;
}

function draw() {
  render(html`
    <a class="skip" href="#content" @click=${(event) => {
      event.preventDefault();
      document.getElementById('content').focus();
    }}>Skip to the content</a>
    ${header()}
    <main id="content" tabindex="-1" aria-busy=${loading}>
      ${banner()}${staleness()}
      ${view ? view.template({ loading, fresh }) : loading ? html`<p class="empty">Loading…</p>` : nothing}
    </main>
    ${offered ? offerDialog() : token ? tokenDialog() : nothing}`, document.body);
  const dialog = document.querySelector('dialog');
  if (dialog && !dialog.open) dialog.showModal();
}

onUnauthorized((refused) => new Promise((resolve) => {
  token = { refused, resolve };
  draw();
}));

function tokenDialog() {
  const given = (event) => {
    event.preventDefault();
    const value = event.target.elements.token.value.trim();
    if (!value) return;
    const { resolve } = token;
    token = null;
    draw();
    resolve(value);
  };
  return html`<dialog aria-labelledby="token-title" @cancel=${(event) => event.preventDefault()}>
    <form @submit=${given}>
      <h2 id="token-title">${token.refused ? 'The token is refused' : 'A token is needed'}</h2>
      <p>Make one, and paste it here. This tab keeps it until it is closed.</p>
      <pre>kubectl -n ${parts[0] ?? 'NAMESPACE'} create token quiver-reader \\
  --audience read.history.quiver.dev --duration 8h</pre>
      <label>Token <input name="token" type="password" autocomplete="off" required></label>
      <button>Go on</button>
    </form>
  </dialog>`;
}

addEventListener('click', (event) => {
  const file = event.target.closest?.('a[download]');
  if (!file || file.protocol === 'blob:') return;
  event.preventDefault();
  const path = file.getAttribute('href');
  save(path, file.download || path.split('/').at(-1)).catch((error) => { failure = error; draw(); });
});

// The age of what is shown is a matter of seconds.
setInterval(() => { if (view?.live?.()) draw(); }, 1000);
addEventListener('hashchange', route);
route();
