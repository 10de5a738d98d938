import { TypedError } from '@interlock/api';
import { quoted } from '../problem.js';
import type { DocumentSelector, FileDelete, YamlDeleteDocument } from './operation.js';
import { identityText } from './yaml/documents.js';

/** What an operation is to delete, and did not find. */
export interface AbsentTarget {
  op: 'file.delete' | 'yaml.deleteDocument';
  path: string;
  select?: DocumentSelector | undefined;
  /** Whether the file is not there, or only the document in it. */
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

/** Returns the error `Invalid` with the reason of a target, for a deletion that nothing shows to be done already. */
export function absentError(target: AbsentTarget): TypedError {
  const fix = 'no earlier response removed it; correct path and select of the operation';
  return new TypedError('Invalid', `${absentText(target)}; ${fix}`, { reason: target.reason });
}

/** Returns a sentence about what is not there. */
export function absentText({ op, path, select = {}, reason }: AbsentTarget): string {
  const what = reason === 'FileNotFound' ? `there is no file ${quoted(path)}` : undefined;
  return `${op}: ${what ?? `${quoted(path)} has no ${identityText(select)}`}`;
}
