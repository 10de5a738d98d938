import {
  commitStatusesFor,
  labels,
  PromotionStrategy,
  promotionStatusKey,
  shortSHA,
  type CommitStatus,
  type KubeObject,
} from '@interlock/api';
import { controllerOf, labelValue } from '@interlock/kube';
import type { StatusFinding } from './model.js';

/** The environment for which CommitStatuses are read. */
interface StatusReader {
  branch: string;
  /** Absent if the environment does not belong to a strategy. */
  strategy?: { name: string; uid?: string | undefined } | undefined;
}

/** Returns the CommitStatuses of one namespace for a commit. */
export type StatusesOfCommit = (sha: string) => readonly CommitStatus[];

/** Returns access to some CommitStatuses by their commit. */
export function byCommit(statuses: readonly CommitStatus[]): StatusesOfCommit {
  return (sha) => statuses.filter(({ spec }) => spec.sha === sha);
}

/** Returns the strategy that controls an object; undefined if a user created the object. */
export function ownerStrategy(object: KubeObject): StatusReader['strategy'] {
  const owner = controllerOf(object);
  return owner?.kind === PromotionStrategy.kind ? owner : undefined;
}

/**
 * Returns the CommitStatuses that can be about an environment: several environments, of one strategy or of many, may propose or
 * run one commit. CommitStatuses that name another environment are omitted, except the CommitStatuses of gates, which apply to
 * all environments of a commit. A `promotion` status counts only when the environment's own strategy wrote it. Pure.
 */
export function statusesOf(candidates: readonly CommitStatus[], reader: StatusReader): CommitStatus[] {
  return candidates.filter((status) => isReadFor(status, reader));
}

/** Returns whether a CommitStatus can be about an environment, see {@link statusesOf}. Pure. */
export function isReadFor(status: CommitStatus, { branch, strategy }: StatusReader): boolean {
  const given = status.metadata.labels ?? {};
  const isPromotion = given[labels.commitStatusKey] === promotionStatusKey;
  if (isPromotion && strategy !== undefined && controllerOf(status)?.uid !== strategy.uid) return false;
  if (given[labels.gateBinding] !== undefined) return true;
  return (
    isSame(given[labels.promotionStrategy], strategy?.name) && isSame(given[labels.activeBranch], branch)
  );
}

function isSame(label: string | undefined, own: string | undefined): boolean {
  return label === undefined || own === undefined || label === labelValue(own);
}

/**
 * Returns the finding for each key, from its CommitStatus for `sha`. A key without a CommitStatus is pending, and so is a key
 * with two.
 * @param statusesFor CommitStatuses of the namespace of the strategy only.
 */
export function findStatuses(
  keys: readonly string[],
  sha: string | undefined,
  statusesFor: StatusesOfCommit,
  reader: StatusReader,
): StatusFinding[] {
  const candidates = sha === undefined ? [] : statusesOf(statusesFor(sha), reader);
  return keys.map((key) => finding(key, sha, commitStatusesFor(candidates, key, sha)));
}

function finding(key: string, sha: string | undefined, found: readonly CommitStatus[]): StatusFinding {
  const [first, ...others] = found;
  if (first === undefined) {
    const message = `no CommitStatus with key ${key} for ${shortSHA(sha)}; its reporter has to create one`;
    return { key, phase: 'pending', reason: 'Missing', message };
  }
  if (others.length > 0) {
    const names = found.map((status) => status.metadata.name).sort();
    const message = `CommitStatuses ${names.join(' and ')} both have key ${key} for ${shortSHA(sha)}; delete all but one`;
    return { key, phase: 'pending', reason: 'Conflict', message };
  }
  const { phase, description } = first.spec;
  return { key, phase, reason: 'Reported', message: description ?? `${first.metadata.name} is ${phase}` };
}

/** Returns the keys of several selector lists, each once, in order. */
export function keysOf(...selectors: (readonly { key: string }[] | undefined)[]): string[] {
  return [...new Set(selectors.flatMap((list) => (list ?? []).map((selector) => selector.key)))];
}

/** Returns the aggregate for the status: failure takes precedence over in progress, and in progress over healthy. */
export function aggregate(findings: readonly StatusFinding[]): 'healthy' | 'in-progress' | 'failure' {
  if (findings.some(isFailed)) return 'failure';
  return findings.every((finding) => finding.phase === 'success') ? 'healthy' : 'in-progress';
}

export function isFailed(finding: StatusFinding): boolean {
  return finding.phase === 'failure' || finding.phase === 'cancelled';
}
