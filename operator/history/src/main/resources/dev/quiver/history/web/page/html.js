// Templates in which no text lies: what cannot be seen, or turns a text around, becomes its escape.
import { html as template, nothing, render } from '../lit-html.js';

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}\p{NChar}]/gu;
const escaped = (point) => (point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`);

/** A text of a tenant as anybody may read it; its line feeds and tabs stay. The server's PrintableText does the same. */
export const visible = (text) => text.replace(UNSEEN, (c, at) => (
  c === '\n' || c === '\t' || (c === '\ufe0f' && /\p{So}$/u.test(text.slice(Math.max(0, at - 2), at)))
    ? c : escaped(c.codePointAt(0))));

/** Addresses are encoded before they come here, and have none of these characters. */
export const html = (strings, ...values) => template(
  strings, ...values.map((value) => (typeof value === 'string' ? visible(value) : value)),
);

export { nothing, render };
