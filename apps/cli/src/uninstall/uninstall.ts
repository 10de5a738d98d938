import { exitCodes, Failure, type ExitCode } from '../exit.js';
import { namespaceExists } from '../load.js';
import { dataText } from '../output/print.js';
import { tableText } from '../output/table.js';
import { visible } from '../output/visible.js';
import type { Session } from '../session.js';
import { act, type Result } from './act.js';
import { decideUninstall, type Plan, type Step, type UninstallOptions } from './decide.js';
import { observe } from './observe.js';
import type { Observed } from './observed.js';
import { planData, planTable, stepText } from './text.js';

export interface UninstallFlags extends UninstallOptions {
  /** Absent for all namespaces. */
  namespace?: string;
  yes?: boolean;
  dryRun?: boolean;
}

/**
 * Lists the remains of an installation, and with `yes` removes them.
 *
 * @throws Failure if an app is still running, or if a resource that must be known before a change could not be read
 */
export async function uninstall(session: Session, flags: UninstallFlags): Promise<ExitCode> {
  const observed = await observe(session, flags.namespace);
  const plan = decideUninstall(observed, flags, session.serverNow());
  if (flags.namespace !== undefined && !(await namespaceExists(session, flags.namespace)))
    session.progress.warning(`namespace ${flags.namespace} does not exist; check its name`);
  report(session, observed, plan);
  const isComplete = observed.unread.length === 0;
  if (flags.yes !== true) {
    printData(session, observed, plan);
    if (plan.steps.length > 0)
      session.progress.waiting('nothing has been changed; add --yes to make these changes');
    return isComplete ? exitCodes.ok : exitCodes.failed;
  }
  if (plan.running.length > 0 || !isComplete) {
    printData(session, observed, plan);
    throw new Failure(
      isComplete
        ? 'nothing has been changed, because a running app would undo it; delete the objects yourself while the app is running, or uninstall the app first'
        : 'nothing has been changed, because objects that could not be read may still need what would be removed',
    );
  }
  return carryOut(session, observed, plan, flags.dryRun === true);
}

async function carryOut(
  session: Session,
  observed: Observed,
  plan: Plan,
  dryRun: boolean,
): Promise<ExitCode> {
  const results = new Map<string, Result>();
  const { progress } = session;
  const onResult = (step: Step, result: Result): void => {
    results.set(step.id, result);
    const text = stepText(step);
    if ('message' in result) progress.failure(`${text}: ${visible(result.message)}`);
    else progress.success(result.outcome === 'gone' ? `${text}: it no longer exists` : text);
  };
  await act(session, plan, { dryRun, onResult });
  printData(session, observed, plan, results);
  const failed = [...results.values()].filter((result) => 'message' in result).length;
  const total = plan.steps.length;
  if (failed > 0) progress.failure(`${failed} of ${total} changes failed`);
  else if (dryRun) progress.success(`${total} changes would be made; no change was stored (--dry-run)`);
  else if (total > 0) progress.success(`${total} changes made`);
  return failed > 0 ? exitCodes.failed : exitCodes.ok;
}

/** Prints the plan before anything is changed. */
function report(
  { io, format, progress }: Session,
  { unread }: Observed,
  { steps, running, kept }: Plan,
): void {
  if (format === 'table') io.stdout(tableText(planTable(steps), { header: true }));
  for (const { message } of running) progress.warning(visible(message));
  for (const { resource, message } of unread)
    progress.failure(`cannot read ${resource}: ${visible(message)}`);
  for (const text of kept) progress.warning(visible(text));
  if (steps.length === 0 && unread.length === 0) progress.success('nothing that Interlock created remains');
}

function printData(
  { io, format }: Session,
  observed: Observed,
  plan: Plan,
  results?: ReadonlyMap<string, Result>,
): void {
  if (format !== 'table') io.stdout(dataText(planData(observed, plan, results), format));
}
