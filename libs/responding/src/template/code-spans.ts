import type { Part } from './evaluate.js';

/* Characters that may change the meaning of backticks, or of a paragraph, in Markdown. */
const spoilsParagraph = /[<|\\]|\]\(|\]:|\$`/;
const spoilsAll = /<[!?]|<(?:pre|script|style|textarea)/i;
const placeholder = 'x';

/**
 * Returns for each part whether it is certainly inside a code span: on one line, in a paragraph in which each line closes
 * its code spans, and without characters that could change the meaning of the backticks. If uncertain, the result is false.
 */
export function inCodeSpans(parts: readonly Part[]): boolean[] {
  const text = parts.map(({ text: own, isValue }) => (isValue ? placeholder : own)).join('');
  const certain = codeRanges(text);
  let offset = 0;
  return parts.map(({ text: own, isValue }) => {
    const start = offset;
    offset += isValue ? placeholder.length : own.length;
    return isValue && certain.some(([from, to]) => from <= start && offset <= to);
  });
}

function codeRanges(text: string): [number, number][] {
  const ranges: [number, number][] = [];
  const end = spoilsAll.exec(text)?.index ?? text.length;
  for (const paragraph of paragraphsOf(text)) {
    if (paragraph.start + paragraph.text.length > end || spoilsParagraph.test(paragraph.text)) continue;
    const lines = [...paragraph.text.matchAll(/[^\n]+/g)].map((line) => ({
      spans: spansOf(line[0]),
      start: paragraph.start + line.index,
    }));
    if (!lines.every(({ spans }) => spans !== undefined)) continue;
    for (const { spans = [], start } of lines)
      for (const [from, to] of spans) ranges.push([start + from, start + to]);
  }
  return ranges;
}

/** Returns the runs of lines that are not blank, with their line breaks. */
function paragraphsOf(text: string): { text: string; start: number }[] {
  const paragraphs: { text: string; start: number }[] = [];
  let start = 0;
  let isOpen = false;
  for (const line of text.split(/(?<=\n)/)) {
    const last = paragraphs.at(-1);
    const isText = line.trim() !== '';
    if (isText && isOpen && last !== undefined) last.text += line;
    else if (isText) paragraphs.push({ text: line, start });
    isOpen = isText;
    start += line.length;
  }
  return paragraphs;
}

/** Returns the ranges of the code spans of a line; undefined when a backtick is unmatched. */
function spansOf(line: string): [number, number][] | undefined {
  const runs = [...line.matchAll(/`+/g)];
  const spans: [number, number][] = [];
  for (let open = 0; open < runs.length; open += 2) {
    const [from, to] = [runs[open], runs[open + 1]];
    if (from === undefined || to?.[0].length !== from[0].length) return undefined;
    spans.push([from.index + from[0].length, to.index]);
  }
  return spans;
}
