import { TypedError } from '@interlock/api';
import { canonicalDigest } from '@interlock/base';
import { diffLines } from 'diff';
import { quoted } from '../problem.js';
import { checkPath, checkSize, type Guards } from './guards.js';
import { imageChanges } from './image.js';
import { isObject, mergeOperations } from './json.js';
import { kustomizationsFor, withoutEntry } from './kustomization.js';
import type { ImageSet, Operation, YamlDeleteDocument, YamlPatch } from './operation.js';
import { absentDocument, absentFile, type AbsentTarget } from './absent.js';
import { identityText } from './yaml/documents.js';
import { findObject, findObjects, objectsOf, operationsAt, withoutObject } from './yaml/objects.js';
import { patchDocument } from './yaml/patch.js';
import { parseYaml } from './yaml/source.js';

/**
 * The current state of a file of the repository; undefined if there is none. A file below a symbolic link counts as a
 * symbolic link.
 */
export type FileState = { text: string; symbolicLink?: boolean } | undefined;
type ReadFile = (path: string) => FileState;

/** The change of a file; without content, it is deleted. */
export interface FileChange {
  path: string;
  change: 'add' | 'modify' | 'delete';
  content?: string;
}

export interface ChangePlan {
  /** Sorted by path; empty if there is nothing to change. */
  files: FileChange[];
  /** Number of lines. */
  added: number;
  removed: number;
  /** SHA-256 of the operations. */
  digest: string;
  /** Targets of deletions that were not found: they are already deleted, or never existed at that place. */
  absent: readonly AbsentTarget[];
}

/** Returns the paths whose files {@link planChange} reads, sorted; not all of them exist. */
export function pathsToRead(operations: readonly Operation[]): string[] {
  const paths = operations.flatMap((operation) => {
    const path = pathOf(operation);
    return operation.op === 'yaml.deleteDocument' ? [path, ...kustomizationsFor(path)] : [path];
  });
  return [...new Set(paths)].sort();
}

/**
 * Plans the effect of operations on files. Applying them again to the result has no effect.
 * @param operations all with a path.
 * @param read reads the paths of {@link pathsToRead}; it may throw for any other path.
 * @throws TypedError `Invalid`, with the reason: `PathNotAllowed`, `SymbolicLink`, `TooManyFiles`, `TooLarge` (guards);
 *   `PathMissing`, `FileNotFound`, `DocumentNotFound`, `DocumentAmbiguous`, `ImageNotFound` (the target); `YamlInvalid`,
 *   `PatchFailed`, `EditNotPossible`, `NotIdempotent`.
 */
export function planChange(
  operations: readonly Operation[],
  read: ReadFile,
  guards: Guards = {},
): ChangePlan {
  const files = new Files(read, guards);
  for (const operation of operations) applyTo(files, operation);
  const again = new Files((path) => files.state(path), guards);
  for (const operation of operations) applyTo(again, operation);
  const [unstable] = again.changes();
  if (unstable !== undefined)
    throw new TypedError(
      'Invalid',
      `the operations would change ${quoted(unstable.path)} once more when applied again; write them so that they describe the desired state`,
      { reason: 'NotIdempotent' },
    );
  const changes = files.changes();
  checkSize(changes, guards);
  return {
    files: changes,
    ...countLines(changes, read),
    digest: canonicalDigest(operations),
    absent: files.absent,
  };
}

function pathOf(operation: Operation): string {
  if (operation.path !== undefined) return operation.path;
  throw new TypedError('Invalid', `${operation.op} has no path`, { reason: 'PathMissing' });
}

/** The files during the planning. */
class Files {
  readonly absent: AbsentTarget[] = [];
  readonly #written = new Map<string, string | undefined>();

  readonly #read: ReadFile;
  readonly #guards: Guards;

  constructor(read: ReadFile, guards: Guards) {
    this.#read = read;
    this.#guards = guards;
  }

  state(path: string): FileState {
    if (!this.#written.has(path)) return this.#read(path);
    const text = this.#written.get(path);
    return text === undefined ? undefined : { text };
  }

  text(path: string): string | undefined {
    const state = this.state(path);
    if (state?.symbolicLink !== true) return state?.text;
    throw new TypedError('Invalid', `${quoted(path)} is a symbolic link; name the file it points to`, {
      reason: 'SymbolicLink',
    });
  }

  write(path: string, text: string | undefined): void {
    checkPath(path, this.#guards);
    this.text(path);
    this.#written.set(path, text);
  }

  /** Records that a target is missing, unless an earlier operation has changed its file. */
  miss(target: AbsentTarget): void {
    if (!this.#written.has(target.path)) this.absent.push(target);
  }

  changes(): FileChange[] {
    const changes = [...this.#written].flatMap(([path, content]): FileChange[] => {
      const before = this.#read(path)?.text;
      if (before === content) return [];
      if (content === undefined) return [{ path, change: 'delete' }];
      return [{ path, change: before === undefined ? 'add' : 'modify', content }];
    });
    return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function applyTo(files: Files, operation: Operation): void {
  switch (operation.op) {
    case 'file.write':
      files.write(operation.path, operation.contents);
      return;
    case 'file.delete':
      if (files.state(operation.path) === undefined) files.miss(absentFile(operation, operation.path));
      files.write(operation.path, undefined);
      return;
    case 'yaml.patch':
      patch(files, operation);
      return;
    case 'yaml.deleteDocument':
      deleteDocument(files, operation);
      return;
    case 'image.set':
      setImage(files, operation);
  }
}

function textOf(files: Files, operation: Operation): { path: string; text: string } {
  const path = pathOf(operation);
  const text = files.text(path);
  if (text !== undefined) return { path, text };
  throw new TypedError('Invalid', `${operation.op}: there is no file ${quoted(path)}`, {
    reason: 'FileNotFound',
  });
}

function patch(files: Files, operation: YamlPatch): void {
  const { path, text } = textOf(files, operation);
  const found = findObject(path, parseYaml(path, text), operation.select);
  if (found === undefined) throw documentNotFound(path, operation);
  const operations =
    operation.patch.type === 'json'
      ? operation.patch.operations
      : mergeOperations(found.value, operation.patch.value);
  files.write(path, patchDocument(path, text, found.index, operationsAt(found.at, operations)));
}

/** Deletes a document. A missing document, like a missing file, may already be deleted; the caller decides. */
function deleteDocument(files: Files, operation: YamlDeleteDocument): void {
  const path = pathOf(operation);
  const text = files.text(path);
  if (text === undefined) {
    files.miss(absentFile(operation, path));
    return;
  }
  const source = parseYaml(path, text);
  const found = findObject(path, source, operation.select);
  if (found === undefined) {
    files.miss(absentDocument(operation, path));
    return;
  }
  const rest = withoutObject(path, source, found);
  files.write(path, rest);
  if (rest !== undefined) return;
  for (const kustomization of kustomizationsFor(path)) {
    const listing = files.text(kustomization);
    if (listing === undefined || kustomization === path) continue;
    const without = withoutEntry(kustomization, listing, path);
    if (without !== listing) files.write(kustomization, without);
  }
}

function setImage(files: Files, operation: ImageSet): void {
  const { path, text } = textOf(files, operation);
  const source = parseYaml(path, text);
  const { select } = operation;
  const found = select === undefined ? objectsOf(path, source) : findObjects(path, source, select);
  if (found.length === 0) throw documentNotFound(path, operation);
  const changes = found
    .filter(({ value }) => isObject(value))
    .map(({ index, at, value }) => {
      const { used, operations } = imageChanges(path, value, operation);
      return { index, used, operations: operationsAt(at, operations) };
    });
  if (!changes.some(({ used }) => used))
    throw new TypedError(
      'Invalid',
      `${quoted(path)} does not use the image ${quoted(operation.image)}${operation.container === undefined ? '' : ` in a container ${quoted(operation.container)}`}`,
      { reason: 'ImageNotFound' },
    );
  const pending = changes.filter(({ operations }) => operations.length > 0);
  files.write(
    path,
    pending.reduce((current, { index, operations }) => patchDocument(path, current, index, operations), text),
  );
}

function documentNotFound(path: string, { op, select = {} }: YamlPatch | ImageSet): TypedError {
  return new TypedError('Invalid', `${op}: ${quoted(path)} has no ${identityText(select)}`, {
    reason: 'DocumentNotFound',
  });
}

/** Longer differences are counted as if the whole file changed. */
const maxDifference = 1000;

function countLines(changes: readonly FileChange[], read: ReadFile): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { path, content = '' } of changes) {
    const before = read(path)?.text ?? '';
    const parts = diffLines(before, content, { maxEditLength: maxDifference }) as
      { count: number; added: boolean; removed: boolean }[] | undefined;
    added += parts?.reduce((sum, part) => sum + (part.added ? part.count : 0), 0) ?? linesOf(content);
    removed += parts?.reduce((sum, part) => sum + (part.removed ? part.count : 0), 0) ?? linesOf(before);
  }
  return { added, removed };
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
