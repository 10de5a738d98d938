/** Bidirectional controls, zero-width and other invisible characters, and lone surrogates. */
const invisible = /[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;
const breaks = /[\p{Cc}\p{Z}]+/gu;
const replacement = '\uFFFD';

/** Returns text on one line, in which everything is visible. */
function plainLine(text: string): string {
  return text.replace(invisible, replacement).replace(breaks, ' ').trim();
}

/** An invisible separator that prevents links and mentions, even after entities are resolved. */
export const gap = '&#8203;';

/**
 * Returns a value as text for Markdown that is inert in every context: between words, in HTML, in attributes, in targets of
 * links, and (shown with its entities) in code. Nothing in it is markup, a link, a mention, or a reference to an issue or a
 * change, at GitHub, GitLab and Gitea.
 */
export function escapeText(value: string): string {
  return plainLine(value)
    .replace(/[!-/:-@[-`{-~]/g, (mark, offset: number, line: string) => escapeMark(mark, offset, line))
    .replace(/www\./gi, (match) => `${match.slice(0, 3)}${gap}.`);
}

function escapeMark(mark: string, offset: number, line: string): string {
  const next = line.charAt(offset + 1);
  const before = line.slice(0, offset);
  if (mark === '-') return /^[-+=]*$/.test(before) ? '&#45;' : /gh$/i.test(before) ? `-${gap}` : '-';
  if (mark === '.') return /^\d+$/.test(before) ? '&#46;' : '.';
  if (mark === '/') return before === '' ? '&#47;' : '/';
  if (',;?%'.includes(mark)) {
    if (mark !== '%') return mark;
    return /[\w"]/.test(next) ? `&#37;${gap}` : '%';
  }
  const entity = `&#${mark.charCodeAt(0)};`;
  if (mark === ':') return next === '/' ? `${entity}${gap}` : entity;
  return '@#!$~&^'.includes(mark) && /[\w"]/.test(next) ? `${entity}${gap}` : entity;
}

/** Returns a value as a part of the target of a link, such as `[text](https://example.com/value)`. */
export function escapeTarget(value: string): string {
  return encodeURIComponent(plainLine(value)).replace(/[!'()*~_]/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/* `[skip ci]` and its kind; the text of a pull request may become the message of its merge, which CI reads. */
const skipCi = /\[(?=\s*(?:skip|no|ci|actions)\b)/gi;

/** Returns a value for the inside of a code span, where entities would be shown as they are. */
export function escapeCode(value: string): string {
  return plainLine(value).replaceAll('`', "'").replaceAll('<!', '<\u200B!').replace(skipCi, '[\u200B');
}

/**
 * Returns a value for one line of plain text, such as a title: it contains no mention, no reference to an issue, no command,
 * and no instruction for CI to skip the commit.
 */
export function escapeLine(value: string): string {
  return plainLine(value)
    .replace(/([@#!])(?=[\w"])/g, '$1\u200B')
    .replace(/(gh-)(?=\d)/gi, '$1\u200B')
    .replaceAll('://', ':\u200B//')
    .replace(/^\//, '\u200B/')
    .replace(skipCi, '[\u200B');
}
