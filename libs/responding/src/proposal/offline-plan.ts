import { canonicalDigest } from '@interlock/base';
import { checkPath, type Guards } from '../change/guards.js';
import type { Operation } from '../change/operation.js';
import { planChange, type ChangePlan } from '../change/plan.js';

/** An edit whose file was not read, so that its result is unknown. */
export interface UnreadEdit {
  op: Operation['op'];
  /** Absent for the file of the subject, which has to be located. */
  path?: string | undefined;
}

/** The effect of operations, as far as it is known without the repository. */
export interface OfflinePlan extends ChangePlan {
  unread: UnreadEdit[];
}

/**
 * Plans operations without reading anything, as the provider `noop` and a run without a checkout do: whole files count
 * as new, and deleted files as existing. Edits of files that the operations themselves write are carried out, all
 * others are listed.
 * @throws TypedError `Invalid` of the guards, as planChange throws it.
 */
export function planOffline(operations: readonly Operation[], guards: Guards = {}): OfflinePlan {
  const known: Operation[] = [];
  const unread: UnreadEdit[] = [];
  const written = new Set<string>();
  const deleted = new Set<string>();
  for (const operation of operations) {
    const { op, path } = operation;
    if (op === 'file.write') written.add(operation.path);
    if (op === 'file.delete') deleted.add(operation.path);
    if (op === 'file.write' || op === 'file.delete' || (path !== undefined && written.has(path))) {
      known.push(operation);
      continue;
    }
    if (path !== undefined) checkPath(path, guards);
    unread.push({ op, path });
  }
  const plan = planChange(known, (path) => (deleted.has(path) ? { text: '' } : undefined), guards);
  return { ...plan, digest: canonicalDigest(operations), unread };
}

/** Returns the template data for a plan that is not fully known: edits count as files. */
export function changeFacts(plan: OfflinePlan): Pick<ChangePlan, 'added' | 'removed' | 'digest'> & {
  files: { path: string; change: string }[];
} {
  const edits = plan.unread.map(({ op, path }) => ({ path: path ?? 'the file of the subject', change: op }));
  const { files, added, removed, digest } = plan;
  return { files: [...files, ...edits], added, removed, digest };
}
