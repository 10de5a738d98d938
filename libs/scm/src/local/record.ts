import { createHash } from 'node:crypto';
import { TypedError } from '@interlock/api';

/**
 * The stored form of a pull request: a JSON blob to which `refs/interlock/pulls/<number>` points. Only `head` and `base` are
 * required, so that a user can write one with `git hash-object`.
 */
export interface PullRecord {
  head: string;
  base: string;
  title: string;
  body: string;
  draft: boolean;
  labels: string[];
  comments: RecordedComment[];
  state: 'open' | 'merged' | 'closed';
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. */
  updatedAt: string;
  /**
   * Tip of the base when the pull request was opened: commits that it already contained do not count as a merge of
   * the pull request.
   */
  baseSha?: string | undefined;
  /** The commit that was merged or closed; absent while the pull request is open. */
  headSha?: string | undefined;
  mergeSha?: string | undefined;
  mergedBy?: string | undefined;
  closedBy?: string | undefined;
}

interface RecordedComment {
  author: string;
  body: string;
}

const pullsFolder = 'refs/interlock/pulls';
const noTime = '1970-01-01T00:00:00Z';

/** Returns the reference of a pull request. */
export function pullRef(id: number): string {
  return `${pullsFolder}/${id}`;
}

/** The pattern of the references of all pull requests. */
export const allPulls = `${pullsFolder}/`;

/** Returns the number of a pull request, or undefined for another reference. */
export function pullIdOf(ref: string): number | undefined {
  const number = ref.startsWith(allPulls) ? ref.slice(allPulls.length) : '';
  return /^[1-9]\d{0,14}$/.test(number) ? Number(number) : undefined;
}

/** Returns the reference by which a user closes a pull request: an annotated tag, whose tagger is recorded, or any commit. */
export function closeRef(id: number): string {
  return `refs/interlock/close/${id}`;
}

/**
 * Returns the reference that exists while a pull request between these branches is open, so that two processes cannot open a
 * second one.
 */
export function openRef(head: string, base: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([head, base]))
    .digest('hex')
    .slice(0, 40);
  return `refs/interlock/open/${digest}`;
}

/** Returns the record in a blob. @throws TypedError `Invalid` naming the reference and the field. */
export function parseRecord(text: string, id: number): PullRecord {
  const invalid = (problem: string): never => {
    throw new TypedError('Invalid', `${pullRef(id)}: ${problem}; write {"head": …, "base": …}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid('it is not JSON');
  }
  if (typeof value !== 'object' || value === null) return invalid('it is not an object');
  const fields = new Map<string, unknown>(Object.entries(value));
  const textAt = (field: string, fallback?: string): string => {
    const found = fields.get(field) ?? fallback;
    return typeof found === 'string' ? found : invalid(`${field} is not a string`);
  };
  const maybe = (field: string): string | undefined => (fields.has(field) ? textAt(field) : undefined);
  const labels = fields.get('labels') ?? [];
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === 'string')) {
    return invalid('labels is not a list of strings');
  }
  const comments: unknown = fields.get('comments') ?? [];
  if (!Array.isArray(comments) || !comments.every(isComment)) {
    return invalid('comments is not a list of {"author": …, "body": …}');
  }
  const state = textAt('state', 'open');
  if (state !== 'open' && state !== 'merged' && state !== 'closed')
    return invalid(`state ${state} is unknown`);
  const createdAt = textAt('createdAt', noTime);
  return {
    head: textAt('head'),
    base: textAt('base'),
    title: textAt('title', ''),
    body: textAt('body', ''),
    draft: fields.get('draft') === true,
    labels,
    comments,
    state,
    createdAt,
    updatedAt: textAt('updatedAt', createdAt),
    baseSha: maybe('baseSha'),
    headSha: maybe('headSha'),
    mergeSha: maybe('mergeSha'),
    mergedBy: maybe('mergedBy'),
    closedBy: maybe('closedBy'),
  };
}

function isComment(value: unknown): value is RecordedComment {
  if (typeof value !== 'object' || value === null || !('author' in value) || !('body' in value)) return false;
  return typeof value.author === 'string' && typeof value.body === 'string';
}

export function formatRecord(record: PullRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
}
