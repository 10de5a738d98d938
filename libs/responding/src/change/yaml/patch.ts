import { TypedError } from '@interlock/api';
import { isAlias } from 'yaml';
import { quoted } from '../../problem.js';
import { applyOperation, equal, pendingOperations, pointerOf, stepsOf, valueAt } from '../json.js';
import type { Json, PatchOperation } from '../operation.js';
import { addItem, addKey, applyEdits, removeEntry, replaceValue, type Candidate } from './edit.js';
import { entryAt, rootSlot, type Slot } from './slot.js';
import { parseYaml, valueOf, type YamlDocument, type YamlSource } from './source.js';
import { styleOf, type Style } from './style.js';

/** Each operation reads the whole file: characters times operations. */
const maxWork = 10_000_000;

/**
 * Applies a JSON Patch to one document of a file. What it does not touch keeps its bytes: comments, order,
 * anchors, quotation marks, line ends.
 * @param index of the document, in {@link YamlSource.documents}.
 * @returns the text of the file; the same text when the patch is applied already.
 * @throws TypedError `Invalid`: `PatchFailed` when an operation cannot be applied, `EditNotPossible` when the
 * file is written in a way that it cannot be done without changing something else (an anchor that other
 * places refer to, for example), or is too long.
 */
export function patchDocument(
  path: string,
  text: string,
  index: number,
  operations: readonly PatchOperation[],
): string {
  const value = valueOf(path, documentAt(parseYaml(path, text), index));
  const pending = pendingOperations(value, operations);
  if (pending.length * text.length > maxWork)
    throw new TypedError(
      'Invalid',
      `${quoted(path)} has ${text.length} characters, which is too much for ${pending.length} operations; write the file as a whole`,
      { reason: 'EditNotPossible' },
    );
  return pending.reduce((current, operation) => edit(path, current, index, operation), text);
}

/**
 * Removes what is at a JSON Pointer, list items included.
 * @throws as {@link patchDocument}.
 */
export function removeAt(path: string, text: string, index: number, pointer: string): string {
  return edit(path, text, index, { op: 'remove', path: pointer });
}

function documentAt(source: YamlSource, index: number): YamlDocument {
  const document = source.documents[index];
  if (document === undefined) throw new RangeError(`there is no document ${index}`);
  return document;
}

function edit(path: string, text: string, index: number, operation: PatchOperation): string {
  if (operation.op === 'move') {
    const { from } = operation;
    const value = valueAt(valueOf(path, documentAt(parseYaml(path, text), index)), from) ?? null;
    const without = edit(path, text, index, { op: 'remove', path: from });
    return edit(path, without, index, { op: 'add', path: operation.path, value });
  }
  const source = parseYaml(path, text);
  const document = documentAt(source, index);
  const before = valueOf(path, document);
  const expected = applyOperation(before, operation);
  const style = styleOf(text);
  for (const candidate of candidatesFor(source, document, before, expected, operation, style)) {
    const edited = applyEdits(text, candidate);
    if (says(path, edited, source, index, expected)) return edited;
  }
  throw new TypedError(
    'Invalid',
    `${quoted(path)}: ${operation.op} of ${quoted(operation.path)} would change other parts of the file, such as what an alias refers to; write the file as a whole`,
    { reason: 'EditNotPossible' },
  );
}

/**
 * Whether the text is still as many documents, and the edited one says what it should. The others keep their
 * text.
 */
function says(path: string, text: string, before: YamlSource, index: number, expected: Json): boolean {
  try {
    const { documents } = parseYaml(path, text);
    const document = documents[index];
    if (document === undefined || documents.length !== before.documents.length) return false;
    return equal(valueOf(path, document), expected);
  } catch {
    return false;
  }
}

function candidatesFor(
  source: YamlSource,
  document: YamlDocument,
  value: Json,
  expected: Json,
  operation: Exclude<PatchOperation, { op: 'move' }>,
  style: Style,
): Candidate[] {
  const steps = stepsOf(operation.path);
  const root = rootSlot(document);
  const alias = aliasOn(root, steps);
  if (alias !== undefined) {
    const copy = valueAt(expected, pointerOf(steps.slice(0, alias.depth)));
    return copy === undefined ? [] : replaceValue(source, alias.slot, copy, style);
  }
  const slot = steps.reduce<Slot | undefined>((at, step) => at && entryAt(at, step), root);
  if (operation.op === 'remove') return slot === undefined ? [] : removeEntry(source, slot, style);
  if (operation.op === 'test') return [[]];
  const added = operation.op === 'copy' ? (valueAt(value, operation.from) ?? null) : operation.value;
  const parent = steps.slice(0, -1).reduce<Slot | undefined>((at, step) => at && entryAt(at, step), root);
  const last = steps.at(-1);
  if (last === undefined || parent === undefined)
    return slot === undefined ? [] : replaceValue(source, slot, added, style);
  const list = valueAt(value, operation.path.slice(0, operation.path.lastIndexOf('/')));
  if (Array.isArray(list) && operation.op !== 'replace')
    return addItem(source, parent, last === '-' ? list.length : Number(last), added, style);
  return slot === undefined
    ? addKey(source, parent, last, added, style)
    : replaceValue(source, slot, added, style);
}

/**
 * An alias that a pointer leads through: it becomes a copy of what it refers to, so that the anchor keeps its
 * value.
 */
function aliasOn(root: Slot, steps: readonly string[]): { slot: Slot; depth: number } | undefined {
  let slot: Slot | undefined = root;
  for (const [depth, step] of steps.entries()) {
    if (slot !== undefined && isAlias(slot.node)) return { slot, depth };
    slot = slot && entryAt(slot, step);
  }
  return undefined;
}
