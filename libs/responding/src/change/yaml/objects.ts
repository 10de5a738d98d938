import { TypedError } from '@interlock/api';
import { quoted } from '../../problem.js';
import { isObject } from '../json.js';
import type { DocumentSelector, Json, PatchOperation } from '../operation.js';
import {
  findDocuments,
  identityOf,
  identityText,
  isSelected,
  withoutDocument,
  type FoundDocument,
} from './documents.js';
import { removeAt } from './patch.js';
import { valueOf, type YamlSource } from './source.js';

/** An object in a file: a document, or an item of a List. */
interface FoundObject extends FoundDocument {
  /** JSON Pointer of the object in its document; empty if the object is the document. */
  at: string;
}

/** Returns the objects of a file. A List is replaced by its items, as in kubectl, kustomize, Flux and Argo CD. */
export function objectsOf(path: string, source: YamlSource): FoundObject[] {
  return wholeDocuments(path, source).flatMap(unrolled);
}

/**
 * Returns the objects that a selector matches: documents and items of Lists. A List itself is matched only by a
 * selector that names its kind.
 */
export function findObjects(path: string, source: YamlSource, select: DocumentSelector): FoundObject[] {
  const documents = wholeDocuments(path, source);
  const lists = documents.filter(({ value }) => isList(value) && select.kind === identityOf(value).kind);
  return [...lists, ...documents.flatMap(unrolled)].filter(({ value }) =>
    isSelected(identityOf(value), select),
  );
}

/**
 * Returns the selected object; undefined if the file does not have it. Without a selector, that is the only document.
 *
 * @throws TypedError `Invalid` (`DocumentAmbiguous`) when there are several.
 */
export function findObject(
  path: string,
  source: YamlSource,
  select?: DocumentSelector,
): FoundObject | undefined {
  const all = select === undefined ? wholeDocuments(path, source) : findObjects(path, source, select);
  const [found, second] = all;
  if (found === undefined || second === undefined) return found;
  const both = [found, second].map(({ value }) => identityText(identityOf(value))).join(' and ');
  const fix = select === undefined ? 'name one of them in select' : 'make select more specific';
  throw new TypedError('Invalid', `${quoted(path)} has ${both}; ${fix}`, { reason: 'DocumentAmbiguous' });
}

/**
 * Returns the text of a file without one of its objects; undefined when no object is left. Removing the last item of a List
 * removes the List.
 *
 * @throws TypedError `Invalid` (`EditNotPossible`).
 */
export function withoutObject(path: string, source: YamlSource, found: FoundObject): string | undefined {
  const { document, index, at } = found;
  const all = unrolled({ document, index, at: '', value: valueOf(path, document) });
  if (at === '' || all.length === 1) return withoutDocument(source, { document, index });
  return removeAt(path, source.text, index, at);
}

/**
 * Returns operations on an object as operations on its document.
 *
 * @throws TypedError `Invalid` (`EditNotPossible`) for an operation that moves or removes the whole object.
 */
export function operationsAt(at: string, operations: readonly PatchOperation[]): PatchOperation[] {
  if (at === '') return [...operations];
  return operations.map((operation): PatchOperation => {
    const { op, path } = operation;
    /* At the root of a document `add` replaces it; in a list it would insert. */
    if (op === 'add' && path === '') return { ...operation, op: 'replace', path: at };
    const isWhole = path === '' || ('from' in operation && operation.from === '');
    if (isWhole && op !== 'replace' && op !== 'test')
      throw new TypedError(
        'Invalid',
        `${op} does not apply to a whole item of a List; use yaml.deleteDocument`,
        {
          reason: 'EditNotPossible',
        },
      );
    if ('from' in operation) return { ...operation, from: at + operation.from, path: at + path };
    return { ...operation, path: at + path };
  });
}

/** Returns the documents of a file with content, as objects. */
function wholeDocuments(path: string, source: YamlSource): FoundObject[] {
  return findDocuments(path, source).map((document) => ({ ...document, at: '' }));
}

function unrolled(found: FoundObject): FoundObject[] {
  const { value, at } = found;
  if (!isList(value)) return [found];
  return value['items'].flatMap((item, index) =>
    unrolled({ ...found, value: item, at: `${at}/items/${index}` }),
  );
}

/** Returns whether a value is a List of objects: kinds such as List and RoleBindingList. */
function isList(value: Json): value is { items: Json[] } {
  return isObject(value) && Array.isArray(value['items']) && /List$/.test(identityOf(value).kind ?? '');
}
