import { isMap, isScalar, isSeq, type Scalar } from 'yaml';
import type { Json } from '../operation.js';
import { columnOf, entriesOf, isBlock, keyOfEntry, lineEnd, lineStart, valueEnd, type Slot } from './slot.js';
import type { YamlSource } from './source.js';
import { blockText, flowText, memberText, type Style } from './style.js';

/** Replaces the characters from `start` to `end`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** A set of edits that together make a change. */
export type Candidate = TextEdit[];

/** Applies edits to a text; they must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const last = [...edits].sort((a, b) => b.start - a.start);
  return last.reduce((all, { start, end, text: part }) => all.slice(0, start) + part + all.slice(end), text);
}

/** Returns the ways to replace the value of a slot, the most readable first. */
export function replaceValue(source: YamlSource, slot: Slot, value: Json, style: Style): Candidate[] {
  const { text } = source;
  const { node, valueFrom } = slot;
  const end = valueEnd(source, slot);
  const start = end === valueFrom ? valueFrom : (node?.range?.[0] ?? valueFrom);
  const between = text.slice(valueFrom, start);
  const spare = text.slice(end, lineEnd(text, end)).trim() === '';
  const inFlow = slot.entry !== undefined && !isBlock(slot.entry.parent.node);
  const candidates: Candidate[] = [];
  if (!inFlow) {
    const block = nested(source, slot, value, style);
    const inline = !/\n/.test(block);
    if (inline && !isBlock(node)) {
      if (start > valueFrom) candidates.push([{ start, end, text: block.trimStart() }]);
      candidates.push([{ start: valueFrom, end, text: block }]);
    } else if (between.trim() === '' && (spare || inline)) {
      candidates.push([{ start: valueFrom, end, text: block }]);
    } else if (inline || isEmpty(value)) {
      candidates.push(withoutLines(source, slot, end, inline ? block : ` ${flowText(value, style)}`));
    } else if (isBlock(node)) {
      candidates.push([{ start, end, text: blockText(value, style, columnOf(text, start)) }]);
    }
  }
  candidates.push([{ start, end, text: `${start === valueFrom ? ' ' : ''}${flowText(value, style)}` }]);
  /* A tag that does not fit the new value is removed with the old one. */
  if (slot.tagFrom !== undefined)
    candidates.push([{ start: slot.tagFrom, end, text: ` ${flowText(value, style)}` }]);
  return candidates;
}

/** Replaces a block collection below a comment by text on the line of its key; the comment is kept. */
function withoutLines(
  { text }: YamlSource,
  { node, valueFrom }: Slot,
  end: number,
  inline: string,
): Candidate {
  const from = lineStart(text, node?.range?.[0] ?? valueFrom);
  const before = text.startsWith('\r\n', from - 2) ? from - 2 : from - 1;
  return [
    { start: valueFrom, end: valueFrom, text: inline },
    { start: Math.max(before, valueFrom), end, text: '' },
  ];
}

/** Returns a value as it follows the `:` or `-` of a slot: after a space, or on new lines. */
function nested({ text }: YamlSource, slot: Slot, value: Json, style: Style): string {
  const parent = slot.entry?.parent.node;
  const column = columnOf(text, slot.start);
  const quoting = isScalar(slot.node) ? quotingOf(slot.node, value) : undefined;
  if (isSeq(parent)) return blockText([value], style, column, quoting).slice(1);
  if (isMap(parent)) return blockText({ k: value }, style, column, quoting).slice(2);
  return blockText(value, style, column);
}

/** Returns the style of a new text: it keeps its quotation marks, and stays block text only while it has several lines. */
function quotingOf({ type }: Scalar, value: Json): Scalar.Type | undefined {
  if (typeof value !== 'string' || type === undefined || type === 'PLAIN') return undefined;
  if (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED')
    return value.includes('\n') ? 'BLOCK_LITERAL' : undefined;
  return type;
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Returns the ways to add a key to a map. */
export function addKey(source: YamlSource, map: Slot, key: string, value: Json, style: Style): Candidate[] {
  const last = entriesOf(map).at(-1);
  if (last === undefined) return replaceValue(source, map, { [key]: value }, style);
  const end = valueEnd(source, last);
  if (!isBlock(map.node)) return [[insert(end, `, ${memberText(key, value, style)}`)]];
  return asLines(source, end, columnOf(source.text, last.start), { [key]: value }, style);
}

/** Returns the ways to insert a value into a list, before the item `index`, or at its end. */
export function addItem(
  source: YamlSource,
  list: Slot,
  index: number,
  value: Json,
  style: Style,
): Candidate[] {
  const items = entriesOf(list);
  const [first, before, after] = [items[0], items[index - 1], items[index]];
  if (first === undefined) return replaceValue(source, list, [value], style);
  if (!isBlock(list.node)) {
    if (after !== undefined) return [[insert(after.start, `${flowText(value, style)}, `)]];
    return before === undefined ? [] : [[insert(valueEnd(source, before), `, ${flowText(value, style)}`)]];
  }
  const column = columnOf(source.text, first.start);
  if (before !== undefined) return asLines(source, valueEnd(source, before), column, [value], style);
  const lineBreak = style.eol + ' '.repeat(column);
  return [
    [insert(first.start, blockText([value], style, column) + lineBreak)],
    [insert(first.start, `- ${flowText(value, style)}${lineBreak}`)],
  ];
}

/** Returns an edit with new lines below the line of an offset. */
function asLines(
  { text }: YamlSource,
  offset: number,
  column: number,
  container: Record<string, Json> | Json[],
  style: Style,
): Candidate[] {
  const at = lineEnd(text, offset);
  const lead = style.eol + ' '.repeat(column);
  const flow = Array.isArray(container)
    ? `- ${flowText(container[0] ?? null, style)}`
    : Object.entries(container).map(([key, value]) => memberText(key, value, style))[0];
  return [[insert(at, lead + blockText(container, style, column))], [insert(at, `${lead}${flow ?? ''}`)]];
}

/** Returns the ways to remove an entry from its collection; comments on separate lines around it are kept. */
export function removeEntry(source: YamlSource, slot: Slot, style: Style): Candidate[] {
  const { text } = source;
  if (slot.entry === undefined) return [];
  const { parent, index } = slot.entry;
  const entries = entriesOf(parent);
  if (entries.length === 1)
    return replaceValue(source, parent, keyOfEntry(slot) === undefined ? [] : {}, style);
  const end = valueEnd(source, slot);
  const [previous, next] = [entries[index - 1], entries[index + 1]];
  if (!isBlock(parent.node)) {
    if (next !== undefined) return [[{ start: slot.start, end: next.start, text: '' }]];
    return previous === undefined ? [] : [[{ start: valueEnd(source, previous), end, text: '' }]];
  }
  const from = lineStart(text, slot.start);
  const lines = Math.min(lineEnd(text, end) + style.eol.length, text.length);
  const rest = text.slice(lines).search(/\S/);
  if (text.slice(from, slot.start).replace('\uFEFF', '').trim() === '') {
    const start = from + (text.startsWith('\uFEFF', from) ? 1 : 0);
    /* Blank lines below would become a part of block text with `+` above. */
    const blank = rest === -1 ? text.length : lineStart(text, lines + rest);
    return [[{ start, end: lines, text: '' }], [{ start, end: blank, text: '' }]];
  }
  return rest === -1 ? [] : [[{ start: slot.start, end: lines + rest, text: '' }]];
}

function insert(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}
