import { inCodeSpans } from './code-spans.js';
import { escapeCode, escapeLine, escapeTarget, escapeText, gap } from './escape.js';
import { evaluate, type Part } from './evaluate.js';
import { parseTemplate } from './parse.js';
import type { Value } from './print.js';

const maxSteps = 20_000;
const maxValue = 1024;
/* GitLab accepts 255 characters, including the prefix by which it marks a draft. */
const maxTitle = 248;
/** The end of a text that was cut. */
export const cutNotice = '\n\n… (cut)\n';

/** The longest text of a pull request that is rendered, in characters: GitHub accepts 65,536. */
export const maxBody = 60_000;

/**
 * Renders a template as Markdown. The template is trusted, but its data is not: values are inert text, each cut after
 * 1,024 characters; a text longer than {@link maxBody} is cut at the end.
 * @throws TypedError `Invalid` (`TemplateInvalid`) with the line and the column.
 */
export function renderMarkdown(template: string, data: Value): string {
  let left = maxBody - cutNotice.length;
  let isCut = false;
  const accepts = ({ text, isValue }: Part) => {
    left -= isValue ? escapeText(text).length + gap.length : text.length;
    isCut ||= left < 0;
    return left >= 0;
  };
  const parts = evaluate(parseTemplate(template), data, { maxSteps, maxValue, accepts });
  const codes = inCodeSpans(parts);
  const rendered = parts.reduce((before, { text, isValue }, index) => {
    if (!isValue) return before + text;
    return before + (codes[index] === true ? escapeCode(text) : escapeAfter(before, text));
  }, '');
  return rendered + (isCut ? cutNotice : '');
}

const maxTail = 2048;

/**
 * Returns how to escape a value after the preceding text of the template, which may turn it into a link target, a mention or
 * a tag.
 */
function escapeAfter(before: string, value: string): string {
  const tail = before.slice(-maxTail);
  if (/\]\([^\s()<>]*$/.test(tail)) return escapeTarget(value);
  return (/[@#!<$~^&]\/?$/.test(tail) ? gap : '') + escapeText(value);
}

/**
 * Renders a template as one line, of at most 248 characters: a title, or the first line of a message.
 * @throws TypedError `Invalid` (`TemplateInvalid`) with the line and the column.
 */
export function renderTitle(template: string, data: Value): string {
  const parts = evaluate(parseTemplate(template), data, {
    maxSteps,
    maxValue: maxTitle,
    accepts: () => true,
  });
  const line = parts
    .map(({ text, isValue }) => (isValue ? escapeLine(text) : text.replace(/\s+/g, ' ')))
    .join('')
    .trim();
  const characters = [...line];
  return characters.length > maxTitle ? `${characters.slice(0, maxTitle - 1).join('')}…` : line;
}
