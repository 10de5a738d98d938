import { typeMeta, type GateKeeper } from '@interlock/api';
import { ConfigMap } from '@interlock/kube';

/** A reference to one object, of a kind that this program does not know in advance and that may not be installed. */
export interface ResourceRef {
  apiVersion: string;
  kind: string;
  /** The namespace of the keeper; not used for cluster-scoped kinds. */
  namespace: string;
  name: string;
}

/** Returns the reference to the object of the cluster that a keeper reads; undefined if it does not read one. */
export function resourceRefOf({ metadata, spec }: GateKeeper): ResourceRef | undefined {
  const { namespace = '' } = metadata;
  if (spec.type === 'expression' && spec.expression !== undefined) {
    return { ...spec.expression.over, namespace };
  }
  const ref = spec.type === 'calendar' ? spec.calendar?.configMapRef : undefined;
  return ref && { ...typeMeta(ConfigMap), namespace, name: ref.name };
}

/** Returns a unique text for each object. */
export function resourceId({ apiVersion, kind, namespace, name }: ResourceRef): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}
