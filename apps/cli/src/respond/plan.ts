import {
  isTyped,
  type TypedError,
  type EventResponse,
  type ResponseRoute,
  type SecurityEvent,
} from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import {
  absentError,
  changeFacts,
  guardsOf,
  needsLocation,
  operationsOf,
  pathsToRead,
  planChange,
  planOffline,
  type ChangePlan,
  type FileState,
  type Operation,
  type OfflinePlan,
  type ProposalFacts,
} from '@interlock/responding';
import type { Objects } from '../manifest/objects.js';
import type { Checkout } from './checkout.js';
import { unifiedDiff } from './diff.js';
import type { PlanView } from './explanation.js';
import { locate, type Located } from './locate.js';
import { operationText } from './operation.js';

interface Planned {
  view: PlanView;
  /** Data for templates. */
  facts: ProposalFacts['plan'];
  /** Why there would be no pull request. */
  refused?: string;
}

/**
 * Returns what a response would change: exactly with a checkout, otherwise as far as the response itself determines it.
 */
export async function planOf(
  route: ResponseRoute,
  response: EventResponse,
  event: SecurityEvent | undefined,
  objects: Objects,
  checkout: Checkout | undefined,
): Promise<Planned> {
  const given = orRefused(() => operationsOf(response));
  if (isProblem(given)) return refusedPlan([], given.message);
  const located: OrProblem<Located> = needsLocation(given)
    ? await locate(given, response, event, route.provider, objects, checkout).catch((error: unknown) => {
        if (isTyped(error, 'Invalid')) return problemOf(error);
        throw error;
      })
    : { operations: given };
  if (isProblem(located)) return refusedPlan(given, located.message);
  const { operations } = located;
  const location = located.location === undefined ? {} : { location: located.location };
  return planOperations(operations, route, response, checkout, location);
}

async function planOperations(
  operations: readonly Operation[],
  route: ResponseRoute,
  response: EventResponse,
  checkout: Checkout | undefined,
  location: { location?: string },
): Promise<Planned> {
  const guards = guardsOf(route);
  const isRead = checkout !== undefined && !needsLocation(operations);
  const before = isRead ? await readAll(checkout, operations) : new Map<string, FileState>();
  const plan = orRefused((): ChangePlan | OfflinePlan =>
    isRead ? planChange(operations, (path) => before.get(path), guards) : planOffline(operations, guards),
  );
  if (isProblem(plan)) return refusedPlan(operations, plan.message, location);
  const [absent] = isPlanned(response, plan.digest) ? [] : plan.absent;
  if (absent !== undefined) return refusedPlan(operations, absentError(absent).message, location);
  const unread = 'unread' in plan ? plan.unread : [];
  const { added, removed, digest } = plan;
  const files = plan.files.map((file) => {
    const isKnown = isRead || file.content !== undefined;
    const { path, change } = file;
    return { path, change, ...(isKnown && { diff: unifiedDiff(file, before.get(path)?.text) }) };
  });
  const view = {
    operations: operations.map(operationText),
    ...location,
    files,
    unread,
    isRead,
    added,
    removed,
    digest,
  };
  return { view, facts: changeFacts({ ...plan, unread }) };
}

/** Returns whether the status has a plan of these operations that changes at least one file. */
function isPlanned({ status }: EventResponse, digest: string): boolean {
  return status?.plan?.digest === digest && (status.plan.files ?? []).length > 0;
}

/** Reads the files that the operations need. Files that are written or deleted as a whole need not be text. */
async function readAll(
  checkout: Checkout,
  operations: readonly Operation[],
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  for (const path of pathsToRead(operations)) {
    const isWhole = operations.some(
      (one) => one.path === path && (one.op === 'file.write' || one.op === 'file.delete'),
    );
    states.set(path, await checkout.read(path, !isWhole));
  }
  return states;
}

function refusedPlan(
  operations: readonly Operation[],
  refused: string,
  location: { location?: string } = {},
): Planned {
  const none = { files: [], added: 0, removed: 0, digest: '' };
  return {
    view: { operations: operations.map(operationText), ...location, ...none, unread: [], isRead: false },
    facts: none,
    refused,
  };
}

/** Returns the result of `work`, or why its input is not acceptable. */
export function orRefused<T>(work: () => T): OrProblem<T> {
  try {
    return work();
  } catch (error) {
    if (isTyped(error, 'Invalid')) return problemOf(error);
    throw error;
  }
}

function problemOf({ reason, message }: TypedError): Problem {
  return new Problem(reason, message, { transient: false });
}
