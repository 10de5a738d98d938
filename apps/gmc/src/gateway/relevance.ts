import { RunnerGroup, type KubeObject } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import { Deployment, type Predicate } from '@interlock/kube';
import { isImpaired } from './findings.js';
import { podCountOf } from './observe.js';

/**
 * Passes an update of an object of a tenant that changes what is applied or reported for its gateway. Autoscalers and RunnerGroups
 * with jobs write their status several times a minute, and each reconcile reads Secrets.
 */
export const concernsGateway: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' || !semanticEqual(concernOf(event.old), concernOf(event.object));

function concernOf(object: KubeObject): object {
  const metadata = { ...object.metadata, resourceVersion: undefined, managedFields: undefined };
  return { ...object, metadata, status: reportOf(object) };
}

/** Returns what the status of a gateway reports about an object. */
function reportOf(object: KubeObject): object | undefined {
  if (object.kind === Deployment.kind) return podCountOf(object as Deployment);
  if (object.kind !== RunnerGroup.kind) return undefined;
  const group = object as RunnerGroup;
  return { sessions: group.status?.activeSessions, isImpaired: isImpaired(group) };
}
