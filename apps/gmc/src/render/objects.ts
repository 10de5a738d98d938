import {
  actionsGatewayGroup,
  apiVersionOf,
  type ActionsGateway,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { controllerReference, type ApplyConfiguration } from '@interlock/kube';
import { namespaceOf, type Installation } from './context.js';

/** A desired object of a tenant. */
export interface Rendered {
  kind: Kind;
  configuration: ApplyConfiguration;
}

/** The value of the label app.kubernetes.io/managed-by of all objects that this controller applies. */
const managedBy = 'interlock-gmc';

/** Label that names the gateway on its objects, in addition to their owner reference. Objects to prune are selected by it. */
export const ownerLabel = `${actionsGatewayGroup}/gateway`;

const instanceLabel = 'app.kubernetes.io/instance';

/** Label with the uid of the gateway on objects that have no owner reference. */
export const ownerUidLabel = `${actionsGatewayGroup}/gateway-uid`;

/** Returns the uids of the owners of an object. */
export function ownerUidsOf({ metadata: { labels, ownerReferences = [] } }: KubeObject): string[] {
  const uid = labels?.[ownerUidLabel];
  return [...ownerReferences.map((owner) => owner.uid), ...(uid === undefined ? [] : [uid])];
}

/**
 * Returns an object that only this controller deletes. The garbage collector deletes what has an owner reference at once if the
 * owner is deleted in the foreground, as Argo CD does by default. Argo CD prunes an object without an owner reference if the label
 * `app.kubernetes.io/instance` is the name of an Application, so the object does not have that label.
 */
export function withoutReference({ metadata }: ActionsGateway, { kind, configuration }: Rendered): Rendered {
  const { labels, ownerReferences: _, ...rest } = configuration.metadata;
  const { [instanceLabel]: _instance, ...kept } = labels as Record<string, string>;
  const owned = { ...kept, [ownerUidLabel]: metadata.uid ?? '' };
  return { kind, configuration: { ...configuration, metadata: { ...rest, labels: owned } } };
}

/**
 * Returns an object whose configuration repeats fields of the stored one: it is applied only if the stored object still has the
 * version that was read, so that a later change of these fields is not reverted.
 */
export function derivedFrom(version: string | undefined, { kind, configuration }: Rendered): Rendered {
  if (version === undefined) return { kind, configuration };
  const metadata = { ...configuration.metadata, resourceVersion: version };
  return { kind, configuration: { ...configuration, metadata } };
}

/** Which of the programs of a tenant an object belongs to. */
type Part = 'agc' | 'egress-proxy';

/** Returns the labels that select the pods of a program. */
export function selectorOf(gateway: ActionsGateway, part: Part): Record<string, string> {
  return { 'app.kubernetes.io/name': part, [instanceLabel]: gateway.metadata.name };
}

/** Returns the labels of the objects of a program. */
export function labelsOf(
  gateway: ActionsGateway,
  part: Part,
  { version }: Installation,
): Record<string, string> {
  return {
    ...selectorOf(gateway, part),
    'app.kubernetes.io/version': version,
    'app.kubernetes.io/part-of': 'interlock',
    'app.kubernetes.io/managed-by': managedBy,
    [ownerLabel]: gateway.metadata.name,
  };
}

/** Returns an object of a tenant, owned by its gateway, so that the object is deleted with the gateway at the latest. */
export function objectOf(
  gateway: ActionsGateway,
  kind: Kind,
  name: string,
  labels: Record<string, string>,
  content: Record<string, unknown>,
): Rendered {
  return {
    kind,
    configuration: {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        name,
        namespace: namespaceOf(gateway),
        labels,
        ownerReferences: [controllerReference(gateway)],
      },
      ...content,
    },
  };
}
