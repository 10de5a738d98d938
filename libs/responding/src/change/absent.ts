import { TypedError } from '@interlock/api';
import { quoted } from '../problem.js';
import type { DocumentSelector, FileDelete, YamlDeleteDocument } from './operation.js';
import { identityText } from './yaml/documents.js';

/** A target of a deletion that was not found. */
export interface AbsentTarget {
  op: 'file.delete' | 'yaml.deleteDocument';
  path: string;
  select?: DocumentSelector | undefined;
  /** Whether the file is missing, or only the document in it. */
  reason: 'FileNotFound' | 'DocumentNotFound';
}

/** Returns the target of a deletion whose file does not exist. */
export function absentFile(operation: FileDelete | YamlDeleteDocument, path: string): AbsentTarget {
  const select = operation.op === 'yaml.deleteDocument' ? operation.select : undefined;
  return { op: operation.op, path, select, reason: 'FileNotFound' };
}

/** Returns the target of a deletion whose file does not have the document. */
export function absentDocument({ op, select }: YamlDeleteDocument, path: string): AbsentTarget {
  return { op, path, select, reason: 'DocumentNotFound' };
}

/** Returns the error `Invalid` with the reason of a target, for a deletion without evidence that it was done before. */
export function absentError(target: AbsentTarget): TypedError {
  const fix = 'no earlier response removed it; correct path and select of the operation';
  return new TypedError('Invalid', `${absentText(target)}; ${fix}`, { reason: target.reason });
}

/** Returns a sentence about a missing target. */
export function absentText({ op, path, select = {}, reason }: AbsentTarget): string {
  const what = reason === 'FileNotFound' ? `there is no file ${quoted(path)}` : undefined;
  return `${op}: ${what ?? `${quoted(path)} has no ${identityText(select)}`}`;
}
