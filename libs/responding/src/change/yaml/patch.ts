import { TypedError } from '@interlock/api';
import { quoted } from '../../problem.js';
import { applyOperation, equal, pendingOperations, pointerOf, stepsOf, valueAt } from '../json.js';
import type { Json, JsonPatch, PatchOperation } from '../operation.js';
import { aliasesByCopies, aliasOn } from './alias.js';
import { addItem, addKey, applyEdits, removeEntry, replaceValue, type Candidate } from './edit.js';
import { entryAt, rootSlot, type Slot } from './slot.js';
import { parseYaml, valueOf, type YamlDocument, type YamlSource } from './source.js';
import { isJson, styleOf, type Style } from './style.js';

/** Maximum of characters times operations, because each operation reads the whole file. */
const maxWork = 10_000_000;
/**
 * Maximum number of edits of one patch that change several places at once, because each is compared with all operations that
 * follow.
 */
const maxTogether = 50;

/**
 * Applies a JSON Patch to one document of a file. All other bytes are kept: comments, order, anchors, quotation marks, line
 * endings. JSON stays JSON. An alias of a changed value becomes a copy of the old value, unless the patch changes it in the same way.
 * @param index the index of the document in {@link YamlSource.documents}.
 * @returns the text of the file; the same text if the patch is already applied.
 * @throws TypedError `Invalid`: `PatchFailed` when an operation cannot be applied, `EditNotPossible` when the file cannot be
 *   edited without changing something else, or is too long.
 */
export function patchDocument(path: string, text: string, index: number, operations: JsonPatch): string {
  const value = valueOf(path, documentAt(parseYaml(path, text), index));
  const pending = pendingOperations(value, operations);
  if (pending.length * text.length > maxWork)
    throw new TypedError(
      'Invalid',
      `${quoted(path)} has ${text.length} characters, which is too many for ${pending.length} operations; replace the whole file with file.write`,
      { reason: 'EditNotPossible' },
    );
  const budget = { left: maxTogether };
  return pending.reduce(
    (current, operation, at) => edit(path, current, index, operation, pending.slice(at + 1), budget),
    text,
  );
}

/**
 * Removes the value at a JSON Pointer, including list items.
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

/**
 * Applies one operation.
 *
 * @param following operations: an edit of an anchor may perform some of them through its aliases.
 */
function edit(
  path: string,
  text: string,
  index: number,
  operation: PatchOperation,
  following: JsonPatch = [],
  budget = { left: maxTogether },
): string {
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
  if (equal(before, expected)) return text;
  const style = styleOf(text);
  const candidates = candidatesFor(source, document, before, expected, operation, style);
  const apply = (candidate: Candidate): string => applyEdits(text, candidate);
  const read = (edited: string): Json | undefined =>
    style.isJson && !isJson(edited) ? undefined : documentValue(path, edited, source, index);
  const exact = candidates.map(apply).find((edited) => equal(read(edited), expected));
  if (exact !== undefined) return exact;
  if (following.length > 0 && (budget.left -= 1) >= 0) {
    const end = applyAll(expected, following);
    const together = candidates.map(apply).find((edited) => {
      const value = read(edited);
      return value !== undefined && end !== undefined && equal(applyAll(value, following), end);
    });
    if (together !== undefined) return together;
  }
  const copies = aliasesByCopies(document, rootSlot(document), stepsOf(operation.path));
  const apart = candidates
    .map((candidate) => apply([...candidate, ...copies]))
    .find((edited) => equal(read(edited), expected));
  if (apart !== undefined) return apart;
  throw new TypedError(
    'Invalid',
    `${quoted(path)}: ${operation.op} of ${quoted(operation.path)} would change other parts of the file; replace the whole file with file.write`,
    { reason: 'EditNotPossible' },
  );
}

/**
 * Returns the value of a document after an edit; undefined when the number of documents changed. The other documents
 * keep their text.
 */
function documentValue(path: string, text: string, before: YamlSource, index: number): Json | undefined {
  try {
    const { documents } = parseYaml(path, text);
    const document = documents[index];
    if (document === undefined || documents.length !== before.documents.length) return undefined;
    return valueOf(path, document);
  } catch {
    return undefined;
  }
}

/** Returns a value after operations; undefined when an operation cannot be applied. */
function applyAll(value: Json, operations: JsonPatch): Json | undefined {
  try {
    return operations.reduce(applyOperation, value);
  } catch {
    return undefined;
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
