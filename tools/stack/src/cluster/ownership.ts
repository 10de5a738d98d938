import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { labels, type KubeObject } from '@interlock/api';
import type { Namespaces } from './cluster.js';

/** The namespaces of a run in an existing cluster. They differ from the namespaces of an installation. */
export const runNamespaces: Namespaces = {
  system: 'interlock-demo-system',
  config: 'interlock-demo-config',
  team: 'interlock-demo',
  flux: 'interlock-demo-flux',
};

/** A run of the scenarios in an existing cluster. */
export interface Run {
  /** Value of the label of all objects that the run creates. */
  readonly id: string;
  /** `<user>@<host>` */
  readonly user: string;
  /** `<host>/<process id>` */
  readonly process: string;
}

/** An object in the cluster does not belong to a run, so a run must not change it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Returns a new run for this process. */
export function newRun(): Run {
  const host = hostname();
  return {
    id: randomBytes(4).toString('hex'),
    user: `${userInfo().username}@${host}`,
    process: `${host}/${process.pid}`,
  };
}

/** Returns the label selector for the objects of a run, or of all runs. */
export function selectorOf(run?: Pick<Run, 'id'>): string {
  return run === undefined ? labels.demoRun : `${labels.demoRun}=${run.id}`;
}

/** Returns the run that created an object, or undefined if no run created it. */
export function runOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.demoRun];
}

interface ManagedFields {
  manager?: string;
}

/** Returns the installer of an object, according to its metadata. */
export function installerOf({ metadata }: KubeObject): string {
  const release = metadata.annotations?.['meta.helm.sh/release-name'];
  if (release !== undefined) {
    const namespace = metadata.annotations?.['meta.helm.sh/release-namespace'] ?? '';
    return `the Helm release ${release} of namespace ${namespace}`;
  }
  const manager = metadata.labels?.['app.kubernetes.io/managed-by'];
  if (manager !== undefined) return manager;
  const [first] = (metadata.managedFields ?? []) as readonly ManagedFields[];
  return first?.manager === undefined ? 'another user' : `the field manager ${first.manager}`;
}
