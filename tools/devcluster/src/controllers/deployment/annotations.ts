import type { KubeObject } from '../../object.js';
import type { RolloutLimits } from './limits.js';

const prefix = 'deployment.kubernetes.io';
export const revisionAnnotation = `${prefix}/revision`;
const historyAnnotation = `${prefix}/revision-history`;
const desiredAnnotation = `${prefix}/desired-replicas`;
const maxAnnotation = `${prefix}/max-replicas`;

/** Annotations that are not copied to a ReplicaSet. */
const ownAnnotations = [
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
];

const maxHistoryLength = 2000;

export type Annotations = Readonly<Record<string, string>>;

/** Returns the revision in annotations, or 0 when they do not contain one. */
export function revisionOf(annotations: Annotations = {}): number {
  return integer(annotations[revisionAnnotation]) ?? 0;
}

/** Returns the number of pods that the Deployment requested when it last scaled a ReplicaSet. */
export function desiredReplicas(annotations: Annotations): number | undefined {
  return integer(annotations[desiredAnnotation]);
}

/** Returns the maximum number of pods that the Deployment allowed when it last scaled a ReplicaSet. */
export function maxReplicas(annotations: Annotations): number | undefined {
  return integer(annotations[maxAnnotation]);
}

/** Returns the annotations of a ReplicaSet with the sizes of the Deployment for which it is scaled. */
export function withSizes(annotations: Annotations, { replicas, maxSurge }: RolloutLimits): Annotations {
  return {
    ...annotations,
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + maxSurge),
  };
}

/**
 * Returns the annotations of the ReplicaSet of the current template: those of the Deployment, and a revision above all
 * others. The previous revision, if there is one, is added to the history.
 */
export function withRevision(
  annotations: Annotations,
  deployment: KubeObject,
  revision: number,
): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !ownAnnotations.includes(key),
  );
  const before = annotations[revisionAnnotation];
  const present = { ...annotations, ...Object.fromEntries(copied) };
  if (revisionOf(annotations) >= revision) return present;
  const history = before === undefined ? undefined : historyWith(annotations[historyAnnotation], before);
  return {
    ...present,
    [revisionAnnotation]: String(revision),
    ...(history !== undefined && { [historyAnnotation]: history }),
  };
}

/** Adds a revision to a history, and removes the oldest revisions if it is too long. */
function historyWith(history: string | undefined, revision: string): string {
  const revisions = [...(history === undefined || history === '' ? [] : history.split(',')), revision];
  while (revisions.length > 1 && revisions.join(',').length > maxHistoryLength) revisions.shift();
  return revisions.join(',');
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}
