import { prefixOf, truncate } from '@interlock/base';
import { escapeLine, escapeText } from '../template/escape.js';
import { cutNotice, maxBody } from '../template/render.js';

const maxRead = 100_000;
const maxLine = 1024;
const maxMessage = 10_000;

/**
 * Returns text of a response as Markdown that shows it literally, line by line: nothing in it is markup, a link, a mention,
 * a reference or a command. At most {@link maxBody} characters; each line is cut after 1,024.
 */
export function inertMarkdown(text: string): string {
  return joined(text, maxBody, escapeText);
}

/**
 * Returns text of a response for the body of a commit message. Lines that would be trailers, which vouch for a commit, are
 * changed. At most 10,000 characters.
 */
export function inertMessage(text: string): string {
  return joined(text, maxMessage, (line) => withoutTrailer(escapeLine(line)));
}

/** Returns a line that is not a trailer. A key of two or more words at its start, such as `Signed-off-by:`, is changed. */
export function withoutTrailer(line: string): string {
  return line.replace(/^([A-Za-z0-9]+(?:-[A-Za-z0-9]+)+)(\s*[:=#])/, '$1\u200B$2');
}

function joined(text: string, max: number, escaped: (line: string) => string): string {
  const lines: string[] = [];
  let left = max - cutNotice.length;
  for (const line of prefixOf(text, maxRead).split(/\r\n|[\n\r]/)) {
    const shown = escaped(truncate(line, maxLine + 1));
    left -= shown.length + 1;
    if (left < 0) return lines.join('\n').trim() + cutNotice;
    lines.push(shown);
  }
  return lines.join('\n').trim() + (text.length > maxRead ? cutNotice : '');
}
