import {
  CommitStatus,
  commitStatusesFor,
  GateBinding,
  labels,
  typeMeta,
  type CommitStatusPhase,
} from '@interlock/api';
import { truncate } from '@interlock/base';
import { verdictOfPromotion, type Promotion } from '@interlock/gating';
import { childName, labelValue, type ApplyConfiguration } from '@interlock/kube';
import type { BindingVerdict, Verdict } from '../actuator.js';

const maxDescription = 1024;

/** A binding of a key, and the verdict of its gates. */
export interface BoundKey {
  binding: GateBinding;
  promotions: readonly Promotion[];
  verdict: BindingVerdict;
}

/** A desired CommitStatus. */
export interface DesiredCommitStatus {
  name: string;
  configuration: ApplyConfiguration;
  /** Whether it must not become successful yet, because the state of some gates is not known. */
  mayNotOpen: boolean;
}

/**
 * Returns the desired CommitStatuses of one namespace and key. Bindings of one namespace and key share one CommitStatus
 * for each commit, because the promoter accepts only one. The CommitStatus is successful if all of the bindings are open.
 */
export function desiredCommitStatuses(key: string, bound: readonly BoundKey[]): DesiredCommitStatus[] {
  const sorted = [...bound].sort((a, b) => (a.binding.metadata.name < b.binding.metadata.name ? -1 : 1));
  const bySHA = new Map<string, [Opinion, ...Opinion[]]>();
  for (const { binding, promotions, verdict } of sorted) {
    for (const promotion of promotions) {
      const { mayRelease } = verdict;
      const verdictOnIt = verdictOfPromotion((subject) => verdict.of(subject), promotion);
      const opinion = { binding, promotion, mayRelease, ...verdictOnIt };
      const known = bySHA.get(promotion.sha);
      if (known === undefined) bySHA.set(promotion.sha, [opinion]);
      else known.push(opinion);
    }
  }
  return [...bySHA].map(([sha, opinions]) => desired(key, sha, opinions));
}

/** The verdict of the gates of one binding on a promotion. */
interface Opinion extends Verdict {
  binding: GateBinding;
  promotion: Promotion;
  mayRelease: boolean;
}

function desired(key: string, sha: string, opinions: readonly [Opinion, ...Opinion[]]): DesiredCommitStatus {
  const [first] = opinions;
  const closed = opinions.filter(({ state }) => state === 'Closed');
  const phase: CommitStatusPhase = closed.length === 0 ? 'success' : 'in_progress';
  const [validUntil] = opinions.flatMap(closingOf).sort();
  const messages = new Set((closed.length === 0 ? opinions : closed).map(({ message }) => message));
  const owners = new Set(opinions.map(({ binding }) => binding));
  const name = nameOf(key, sha);
  const configuration = {
    ...typeMeta(CommitStatus),
    metadata: {
      name,
      namespace: first.promotion.namespace,
      labels: {
        [labels.commitStatusKey]: key,
        [labels.gateBinding]: labelValue(first.binding.metadata.name),
        [labels.promotionStrategy]: labelValue(first.promotion.strategy),
        [labels.activeBranch]: labelValue(first.promotion.branch),
      },
      ownerReferences: [...owners].map(ownerReference),
    },
    spec: {
      repoRef: { name: first.promotion.repository },
      sha,
      name: key,
      phase,
      description: truncate([...messages].join('; '), maxDescription),
      ...(phase === 'success' && validUntil !== undefined && { validUntil }),
    },
  };
  return { name, configuration, mayNotOpen: phase === 'success' && opinions.some((one) => !one.mayRelease) };
}

/** Returns when a verdict closes by itself, so that nothing is merged afterwards even if this controller does not run then. */
function closingOf({ next }: Verdict): string[] {
  return next?.state === 'Closed' ? [next.at] : [];
}

/** Returns the name of the CommitStatus of a key and commit, which all bindings of the key share. */
function nameOf(key: string, sha: string): string {
  return childName('gate', key, sha);
}

/**
 * Returns the CommitStatuses that this controller wrote for the key and that are no longer required. Only CommitStatuses that are
 * owned by GateBindings count, even if the bindings are deleted.
 *
 * @param existing CommitStatuses of the namespace
 */
export function obsoleteOf(
  key: string,
  wanted: readonly DesiredCommitStatus[],
  existing: readonly CommitStatus[],
): CommitStatus[] {
  const names = new Set(wanted.map(({ name }) => name));
  return existing.filter(
    (status) =>
      isOurs(status) &&
      status.metadata.labels?.[labels.commitStatusKey] === key &&
      status.metadata.deletionTimestamp === undefined &&
      !names.has(status.metadata.name),
  );
}

/** Returns CommitStatuses of other owners for the same key and commit: if there are two, the promoter ignores both. */
export function rivalsOf(key: string, sha: string, existing: readonly CommitStatus[]): CommitStatus[] {
  return commitStatusesFor(existing, key, sha).filter((status) => !isOurs(status));
}

/** Returns whether a CommitStatus is owned by GateBindings only. */
export function isOurs({ metadata }: CommitStatus): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.length > 0 && owners.every(({ kind }) => kind === GateBinding.kind);
}

function ownerReference({ metadata }: GateBinding) {
  const { name, uid } = metadata;
  if (uid === undefined) throw new Error(`GateBinding ${name} has no uid and cannot be an owner`);
  return { ...typeMeta(GateBinding), name, uid };
}
