import { TypedError } from '@interlock/api';
import * as z from 'zod';
import type { Cancellable, HistoryReader } from './history.js';
import { isObjectId } from './names.js';

/** The notes reference in which hydrators record the dry commit of a hydrated commit. */
export const hydratorNotesRef = 'refs/notes/hydrator.metadata';
/** The file in which hydrators record the dry commit as well, at the root or at the active path. */
export const hydratorMetadataFile = 'hydrator.metadata';

const maxMetadataBytes = 1024 * 1024;

const objectId = z.string().refine(isObjectId, 'is not a full object id (40 lower-case hexadecimal digits)');

/* Hydrators write fields of their own as well; unknown ones are not an error. */
const commitReference = z.object({
  sha: z.string().optional(),
  repoURL: z.string().optional(),
  author: z.string().optional(),
  date: z.string().optional(),
  subject: z.string().optional(),
  body: z.string().optional(),
});

const metadata = z.object({
  drySha: objectId,
  repoURL: z.string().optional(),
  author: z.string().optional(),
  date: z.string().optional(),
  subject: z.string().optional(),
  body: z.string().optional(),
  references: z.array(z.object({ commit: commitReference.optional() })).optional(),
});

const note = z.object({ drySha: objectId });

/** The metadata of a hydrator about the dry commit that it rendered. */
type HydratorMetadata = z.infer<typeof metadata>;

/** Returns the content of a `hydrator.metadata` file. @throws TypedError `Invalid` (`HydratorMetadataInvalid`) naming what is wrong. */
export function parseHydratorMetadata(text: string): HydratorMetadata {
  return parse(metadata, text, hydratorMetadataFile);
}

/** Returns the content of a note in {@link hydratorNotesRef}. @throws TypedError `Invalid` (`HydratorMetadataInvalid`). */
export function parseHydratorNote(text: string): { drySha: string } {
  return parse(note, text, `the note in ${hydratorNotesRef}`);
}

function parse<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(`${what} is not JSON`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the document'}: ${message}`);
  throw invalid(`${what} is not valid: ${problems.join('; ')}`);
}

function invalid(message: string): TypedError {
  return new TypedError('Invalid', message, { reason: 'HydratorMetadataInvalid' });
}

interface HydrationQuery {
  /** The hydrated commit. */
  commit: string;
  /** The object to which {@link hydratorNotesRef} points; undefined if the remote has no such reference. */
  notes?: string | undefined;
}

export interface Hydration {
  /** The dry commit of the hydrated commit: from the note, or else from the file. */
  drySha: string;
  /**
   * The dry commit in the note, which may be newer than the dry commit in the file if its hydration changed nothing.
   */
  noteDrySha?: string | undefined;
  /** The metadata in the file. */
  metadata?: HydratorMetadata | undefined;
}

/**
 * Returns the source of a hydrated commit: from its note, or else from its file in the folder that `mirror` reads.
 * @returns undefined when it has neither.
 * @throws TypedError `Invalid` (`HydratorMetadataInvalid`) naming the commit, the place and the problem; other errors
 *   of the mirror.
 */
export async function hydrationOf(
  mirror: HistoryReader,
  query: HydrationQuery,
  options: Cancellable = {},
): Promise<Hydration | undefined> {
  const [noteText, file] = await Promise.all([
    query.notes === undefined ? undefined : mirror.note(query.notes, query.commit, options),
    mirror.file(query.commit, hydratorMetadataFile, { ...options, maxBytes: maxMetadataBytes }),
  ]);
  const noteDrySha =
    noteText === undefined ? undefined : onCommit(query.commit, () => parseHydratorNote(noteText).drySha);
  const found =
    file === undefined
      ? undefined
      : onCommit(query.commit, () => parseHydratorMetadata(file.toString('utf8')));
  const drySha = noteDrySha ?? found?.drySha;
  if (drySha === undefined) return undefined;
  return { drySha, noteDrySha, metadata: found };
}

/** Returns the dry SHA of a hydrated commit by {@link hydrationOf}, or undefined. */
export async function dryShaOf(
  mirror: HistoryReader,
  query: HydrationQuery,
  options: Cancellable = {},
): Promise<string | undefined> {
  return (await hydrationOf(mirror, query, options))?.drySha;
}

function onCommit<T>(commit: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof TypedError ? invalid(`commit ${commit}: ${error.message}`) : error;
  }
}
