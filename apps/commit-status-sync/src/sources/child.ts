import { CommitStatus, labels, typeMeta, type PromotionStrategy, type SourcePhase } from '@interlock/api';
import { truncate, truncateDistinct } from '@interlock/base';
import { childName, controllerReference, labelValue, type ApplyConfiguration } from '@interlock/kube';
import type { Source } from './model.js';

const maxName = 100;
const maxDescription = 1024;

/** The part of a child's name that distinguishes the kinds of sources. */
const stems: Readonly<Record<string, string>> = {
  ArgoCDCommitStatus: 'argocd',
  FluxCommitStatus: 'flux',
  TimedCommitStatus: 'timed',
};

/** The report of a source about an environment. */
interface Report {
  branch: string;
  sha: string;
  phase: SourcePhase;
  description: string;
  url?: string | undefined;
}

/** Returns the name of the CommitStatus of an environment. No two sources and branches share one: neither kind nor name can hold a slash. */
export function reportName(source: Source, branch: string): string {
  return childName(source.metadata.name, `${stems[source.kind] ?? source.kind}/${branch}`);
}

/** Returns the CommitStatus with the report of a source. */
export function commitStatusOf(
  source: Source,
  strategy: PromotionStrategy,
  { branch, sha, phase, description, url }: Report,
): ApplyConfiguration {
  const { namespace } = source.metadata;
  const { key } = source.spec;
  return {
    ...typeMeta(CommitStatus),
    metadata: {
      name: reportName(source, branch),
      ...(namespace !== undefined && { namespace }),
      labels: {
        [labels.commitStatusKey]: key,
        [labels.promotionStrategy]: labelValue(strategy.metadata.name),
        [labels.activeBranch]: labelValue(branch),
      },
      ownerReferences: [controllerReference(source)],
    },
    spec: {
      repoRef: { name: strategy.spec.repoRef.name },
      sha,
      name: truncateDistinct(`${key}/${branch}`, maxName),
      phase,
      description: truncate(description, maxDescription),
      ...(url !== undefined && { url }),
    },
  };
}
