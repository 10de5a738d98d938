import { withoutEnd } from '@interlock/api';
import { isAlias, isCollection, isMap, isNode, isScalar, isSeq, type CST, type Node } from 'yaml';
import type { YamlDocument, YamlSource } from './source.js';

/** The place of a value in a file: the value of a document, of a key, or of an item of a list. */
export interface Slot {
  node: Node | null;
  /** The collection and the index of the entry; absent for the root. */
  entry?: { parent: Slot; index: number };
  /** Where the entry begins: at its key, at its `-`, or in flow collections at its value. */
  start: number;
  /** Where the value may begin: after `:` or `-`, and after an anchor and a tag. */
  valueFrom: number;
  /** Where a tag in front of the value may begin, when it has one and no anchor. */
  tagFrom?: number | undefined;
}

const marks = ['map-value-ind', 'seq-item-ind'];
const properties = [...marks, 'anchor', 'tag'];

/** Returns the place of the root of a document. */
export function rootSlot(document: YamlDocument): Slot {
  const start = document.contents?.range[0] ?? document.range[1];
  return { node: document.contents, start, valueFrom: start };
}

/** Returns the entries of a collection, in their order. */
export function entriesOf(parent: Slot): Slot[] {
  const { node } = parent;
  if (isMap(node))
    return node.items.map((pair, index) => {
      const { key, value, srcToken } = pair;
      const [from = 0, to = 0] = isNode(key) ? (key.range ?? []) : [];
      return {
        node: isNode(value) ? value : null,
        entry: { parent, index },
        start: from,
        valueFrom: endOf(srcToken?.sep, properties) ?? to,
        tagFrom: tagIn(srcToken?.sep),
      };
    });
  if (!isSeq(node)) return [];
  const token = node.srcToken;
  const items = token !== undefined && 'items' in token ? token.items : [];
  return node.items.map((item, index) => {
    const value = isNode(item) ? item : null;
    const tokens = items[index]?.start;
    const dash = tokens?.find(({ type }) => type === 'seq-item-ind');
    const start = dash?.offset ?? value?.range?.[0] ?? 0;
    return {
      node: value,
      entry: { parent, index },
      start,
      valueFrom: endOf(tokens, properties) ?? start,
      tagFrom: tagIn(tokens),
    };
  });
}

type Tokens = readonly CST.SourceToken[] | undefined;

function endOf(tokens: Tokens, types: readonly string[]): number | undefined {
  const last = tokens?.findLast(({ type }) => types.includes(type));
  return last && last.offset + last.source.length;
}

function tagIn(tokens: Tokens): number | undefined {
  const has = (type: string) => tokens?.some((token) => token.type === type) === true;
  return has('tag') && !has('anchor') ? endOf(tokens, marks) : undefined;
}

/** Returns the key of an entry of a map, as text. */
export function keyOfEntry({ entry }: Slot): string | undefined {
  if (entry === undefined || !isMap(entry.parent.node)) return undefined;
  const key = entry.parent.node.items[entry.index]?.key;
  return isScalar(key) ? String(key.value) : undefined;
}

/** Returns the entry for a step of a JSON Pointer. Entries of a merge key (`<<`) are not included. */
export function entryAt(parent: Slot, step: string): Slot | undefined {
  if (isMap(parent.node)) return entriesOf(parent).find((entry) => keyOfEntry(entry) === step);
  return /^(0|[1-9][0-9]*)$/.test(step) ? entriesOf(parent)[Number(step)] : undefined;
}

/** Returns whether the node is written in block style, by indentation. */
export function isBlock(node: Node | null): boolean {
  return isCollection(node) && node.flow !== true;
}

/**
 * Returns where a value ends in the text, without its last line break and what follows it (comments, blank lines). For an
 * absent value, that is where it would begin.
 */
export function valueEnd(source: YamlSource, slot: Slot): number {
  const { node, valueFrom } = slot;
  if (node?.range === undefined || node.range === null) return valueFrom;
  if (isBlock(node)) {
    const last = entriesOf(slot).at(-1);
    return last === undefined ? valueFrom : valueEnd(source, last);
  }
  const [from, to] = node.range;
  if (isScalar(node) && to === from) return valueFrom;
  if (isAlias(node) || !isBlockScalar(node)) return to;
  return blockTextEnd(source.text, from, to);
}

/** Returns where block text ends. Blank lines after it are a part of it only if its header contains `+`. */
function blockTextEnd(text: string, from: number, to: number): number {
  const keeps = /^[|>][0-9]?\+/.test(text.slice(from, from + 3));
  if (!keeps) return from + withoutBlankLines(text.slice(from, to)).length;
  return text.startsWith('\n', to - 1) ? lineBreakBefore(text, to) : to;
}

/** Returns a text without trailing line breaks and blanks after them; other blanks are kept. */
function withoutBlankLines(text: string): string {
  let rest = text;
  for (let line = withoutEnd(rest, ' \t'); line.endsWith('\n'); line = withoutEnd(rest, ' \t'))
    rest = line.slice(0, line.endsWith('\r\n') ? -2 : -1);
  return rest;
}

function isBlockScalar(node: Node): boolean {
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
}

function lineBreakBefore(text: string, end: number): number {
  return text.startsWith('\r\n', end - 2) ? end - 2 : end - 1;
}

/** Returns where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns where the line of an offset ends, without its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return end > offset && text.startsWith('\r', end - 1) ? end - 1 : end;
}

/** Returns the column of an offset, from 0. A byte order mark is not a column. */
export function columnOf(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return offset - start - (text.startsWith('\uFEFF', start) ? 1 : 0);
}
