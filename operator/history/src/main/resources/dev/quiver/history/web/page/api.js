// Asks the API that serves this page. A token lives in this module and in the storage of its tab, and goes with the tab.

const KEPT = 'token';
let token = sessionStorage.getItem(KEPT) ?? '';
let asking = null;
let ask = () => Promise.reject(new Error('no token'));

/** An answer other than 200; `message` is the server's. */
export class ApiError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Sets the function that asks a person for a token; it answers a promise of one. */
export function onUnauthorized(function_) {
  ask = function_;
}

/** Keeps a token until the tab is closed. */
export function keep(value) {
  token = value;
  sessionStorage.setItem(KEPT, value);
}

/** Whether this tab has a token. */
export const known = () => token !== '';

async function get(path, signal) {
  for (;;) {
    const sent = token;
    const response = await fetch(path, {
      signal,
      headers: sent ? { Authorization: `Bearer ${sent}` } : {},
      credentials: 'omit',
      redirect: 'error',
    }).catch((error) => {
      // A browser has no more words for it than "Failed to fetch".
      throw signal?.aborted ? error : new Error('History does not answer; the port-forward may have ended');
    });
    if (response.ok) return response;
    if (response.status === 401) {
      if (sent === token) {
        asking ??= ask(sent !== '').finally(() => { asking = null; });
        keep(await asking);
      }
      continue;
    }
    const status = await response.json().catch(() => ({}));
    throw new ApiError(response.status, status.message ?? `the server answers ${response.status}`);
  }
}

/** The address of parts below v1, each of them encoded. */
export function address(...parts) {
  return ['v1', ...parts.map(encodeURIComponent)].join('/');
}

/** What the page's address has behind its question mark. */
export const placed = () => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]));

/** An address with those parameters that have a value. */
export function query(path, parameters) {
  const set = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return set.length ? `${path}?${new URLSearchParams(set)}` : path;
}

export const json = async (path, signal) => (await get(path, signal)).json();
export const text = async (path, signal) => (await get(path, signal)).text();
export const bytes = async (path, signal) => (await get(path, signal)).arrayBuffer();

const ENDINGS = { 'application/json': '.json', 'application/vnd.apache.arrow.stream': '.arrow' };

/** Saves an answer as a file: a plain link would carry no token. A name without an ending gets that of its type. */
export async function save(path, name) {
  const link = document.createElement('a');
  const file = await (await get(path)).blob();
  link.href = URL.createObjectURL(file);
  link.download = name.includes('.') ? name : name + (ENDINGS[file.type] ?? '.bin');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Calls `each` for every event and comment of a stream; resolves at its end, and rejects where it breaks off. */
export async function events(path, signal, each) {
  const reader = (await get(path, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    blocks.forEach(each);
  }
}
