import type { EventResponse, ResponseRoute, SecurityEvent } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { AbsentTarget, ChangePlan, ProposalFacts } from '@interlock/responding';
import type { ScmRepository } from '@interlock/scm';
import type { AttemptMode, AttemptResult, Hold, SeenRequest } from '../event-response/observed.js';
import { decorate } from './decorate.js';
import { findRequest, isCommitOf, seenOf } from './find.js';
import { asOperators } from './operator-error.js';
import { propose } from './propose.js';

/** What an attempt works with. */
export interface AttemptInput {
  client: Client;
  mode: AttemptMode;
  response: EventResponse;
  event: SecurityEvent | undefined;
  /** Absent where the repository is that of a route that is gone. */
  route: ResponseRoute | undefined;
  index: number;
  cluster: ProposalFacts['cluster'];
  gate: ProposalFacts['gate'];
  /** The branch of the response. */
  branch: string;
  repository: ScmRepository;
  signal: AbortSignal;
  /** Returns whether a response has proposed to remove what is not there. */
  wasRemoved(target: AbsentTarget, digest: string): boolean;
  /**
   * Returns why the change is not proposed now. Where there is no reason, it is noted that this response proposes it, so
   * that no other does.
   */
  holdOf(plan: ChangePlan): Hold | undefined;
  /** Is called before the first change in the repository. */
  onPlanned(plan: ChangePlan): Promise<void>;
  /** Is called as soon as the pull request is open. */
  onOpened(request: SeenRequest): Promise<void>;
  /** Something went wrong that keeps nothing from being proposed. */
  onWarning(message: string): void;
}

/** An attempt that may change something. */
export interface ProposeInput extends AttemptInput {
  route: ResponseRoute;
  /** Notes whether a pull request may be open of which nobody knows. */
  isUncertain(uncertain: boolean): void;
}

/**
 * Makes an attempt; every part of it may be repeated, after a stop at any line.
 *
 * @returns how it ended; whatever goes wrong is an end, too.
 * @throws the reason of the signal.
 */
export async function makeAttempt(input: AttemptInput): Promise<AttemptResult> {
  const { mode, response, repository, branch, route, signal } = input;
  /* A branch is written down before it is made. */
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
    if (mode === 'leave') await removeBranch(input);
    if (mode === 'leave' || mode === 'find' || route === undefined) return { type: 'absent' };
    return await propose({ ...input, route, isUncertain: (now) => (uncertain = now) });
  } catch (error) {
    signal.throwIfAborted();
    return { type: 'failed', error, uncertain };
  }
}

/** Of a branch that has commits of others, too, nothing is removed. */
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
