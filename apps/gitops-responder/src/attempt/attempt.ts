import { isTyped, type EventResponse, type ResponseRoute, type SecurityEvent } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { AbsentTarget, ChangePlan, ProposalFacts } from '@interlock/responding';
import type { ScmRepository } from '@interlock/scm';
import type { AttemptMode, AttemptResult, Hold, SeenRequest } from '../event-response/observed.js';
import { isFirstSearch } from '../event-response/uncertain.js';
import type { Planner } from '../planning/planner.js';
import { describeError, maxNote } from '../text.js';
import { decorate } from './decorate.js';
import { findRequest, isCommitOf, seenOf } from './find.js';
import { asOperators } from './operator-error.js';
import { propose } from './propose.js';

/** The inputs of an attempt. */
export interface AttemptInput {
  client: Client;
  mode: AttemptMode;
  response: EventResponse;
  event: SecurityEvent | undefined;
  /** Absent if the repository belongs to a route that no longer exists. */
  route: ResponseRoute | undefined;
  index: number;
  cluster: ProposalFacts['cluster'];
  /** The branch of the response. */
  branch: string;
  repository: ScmRepository;
  planner: Pick<Planner, 'operations' | 'plan' | 'locate'>;
  signal: AbortSignal;
  /** Returns whether an earlier response proposed to remove a missing target. */
  wasRemoved(target: AbsentTarget, digest: string): boolean;
  /** Returns the gate of the route as it is now. */
  gateNow(): ProposalFacts['gate'];
  /** Returns why the gate of the route holds the change now. */
  gateHold(): Hold | undefined;
  /**
   * Returns why the change is not proposed now. Without a reason, records that this response proposes it, so that no other
   * response does.
   */
  holdOf(plan: ChangePlan): Hold | undefined;
  /** Called before the first change in the repository. */
  onPlanned(plan: ChangePlan): Promise<void>;
  /** Called as soon as the pull request is open. */
  onOpened(request: SeenRequest): Promise<void>;
  /** Called with a problem that does not prevent the proposal. */
  onWarning(message: string): void;
}

/** An attempt that may change something. */
export interface ProposeInput extends AttemptInput {
  route: ResponseRoute;
  /** Records whether an unknown pull request may be open. */
  isUncertain(uncertain: boolean): void;
}

/**
 * Makes an attempt, which may stop at any point; every part of it can be repeated.
 *
 * @returns how the attempt ended; a failure is returned too.
 * @throws the reason of the signal.
 */
export async function makeAttempt(input: AttemptInput): Promise<AttemptResult> {
  const { mode, response, repository, branch, route, signal } = input;
  /* A branch is recorded before it is created. */
  let uncertain = response.status?.changeRequest?.branch !== undefined;
  try {
    const found = await asOperators(() => findRequest(repository, response, branch, signal));
    uncertain = false;
    if (found !== undefined) {
      const request = seenOf(found);
      if (found.state !== 'open') return { type: 'settled', request };
      await input.onOpened(request);
      await decorate(input, found.id);
      return { type: 'submitted', request };
    }
    /* Some servers close the pull request of a branch that is removed, which looks like a rejection by a user. */
    if (mode === 'leave' && !isFirstSearch(response.status)) await leaveBranch(input);
    if (mode === 'leave' || mode === 'find' || route === undefined) return { type: 'absent' };
    return await propose({ ...input, route, isUncertain: (now) => (uncertain = now) });
  } catch (error) {
    signal.throwIfAborted();
    return { type: 'failed', error, uncertain };
  }
}

/** Removes the branch of a response. A cancellation ends although the SCM refuses that, as after it has closed a pull request. */
async function leaveBranch(input: AttemptInput): Promise<void> {
  const { response, branch, repository, signal, onWarning } = input;
  try {
    await removeBranch(input);
  } catch (error) {
    const isRefused = !signal.aborted && !isTyped(error, 'Transient', 'RateLimited');
    if (!isRefused || response.status?.phase !== 'Cancelled') throw error;
    onWarning(
      `branch ${branch} of ${repository.fullName} cannot be removed: ${describeError(error, maxNote)}`,
    );
  }
}

/** Removes the branch of a response, unless it has commits of other authors. */
export async function removeBranch({
  repository,
  response,
  branch,
  signal,
}: Pick<AttemptInput, 'repository' | 'response' | 'branch' | 'signal'>): Promise<void> {
  const tip = await repository.contents?.branchTip(branch, { signal });
  if (tip !== undefined && isCommitOf(response, tip)) {
    await repository.contents?.deleteBranch(branch, tip.sha, { signal });
  }
}
