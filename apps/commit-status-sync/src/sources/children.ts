import { keyOf, type CommitStatus, type PromotionStrategy } from '@interlock/api';
import { Problem } from '@interlock/base';
import { controllerOf, isControlledBy } from '@interlock/kube';
import { reportName } from './child.js';
import type { ActiveEnvironment, Obsolete, ObservedSource, Source } from './model.js';

/** Returns the CommitStatuses of environments that are no longer reported. */
export function obsoleteChildren(
  { source, children }: ObservedSource<Source>,
  environments: readonly { branch: string }[],
): Obsolete[] {
  const names = new Set(environments.map(({ branch }) => reportName(source, branch)));
  return children
    .filter((child) => isControlledBy(child, source) && !names.has(child.metadata.name))
    .map((child) => ({ key: keyOf(child), uid: child.metadata.uid ?? '' }));
}

/** Returns the problem when the CommitStatus of an environment belongs to another owner, which keeps it. */
export function takenName(
  source: Source,
  branch: string,
  children: readonly CommitStatus[],
): Problem | undefined {
  const name = reportName(source, branch);
  const child = children.find(({ metadata }) => metadata.name === name);
  if (child === undefined || isControlledBy(child, source)) return undefined;
  const owner = controllerOf(child);
  const message =
    owner === undefined
      ? `CommitStatus ${name} was not created by this ${source.kind}; delete or rename it`
      : `CommitStatus ${name} still belongs to ${owner.kind} ${owner.name} with uid ${owner.uid}; it is deleted together with that object`;
  return new Problem('NameTaken', message, { retryAfterMs: 60_000 });
}

/** Returns the problem when the strategy is missing. */
export function strategyNotFound({ spec }: Source): Problem {
  const { name } = spec.promotionStrategyRef;
  const message = `spec.promotionStrategyRef.name: PromotionStrategy ${name} does not exist in the namespace; create it`;
  return new Problem('PromotionStrategyNotFound', message);
}

/** Returns the problem when a source names an environment that its strategy does not have. */
export function unknownEnvironment(
  named: readonly { branch: string }[],
  strategy: PromotionStrategy | undefined,
): Problem | undefined {
  if (strategy === undefined) return undefined;
  const known = new Set(strategy.spec.environments.map(({ branch }) => branch));
  const stray = named.find(({ branch }) => !known.has(branch));
  if (stray === undefined) return undefined;
  const message = `spec.environments[].branch: PromotionStrategy ${strategy.metadata.name} has no environment ${stray.branch}; correct it`;
  return new Problem('UnknownEnvironment', message, { transient: false });
}

/** Returns the problem of the first CommitStatus of a source that belongs to another owner. */
export function firstTakenName(
  { source, children }: ObservedSource<Source>,
  environments: readonly ActiveEnvironment[],
): Problem | undefined {
  return environments
    .map(({ branch }) => takenName(source, branch, children))
    .find((problem) => problem !== undefined);
}
