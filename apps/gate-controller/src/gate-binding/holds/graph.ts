import {
  type FluxObject,
  type FluxObjects,
  type FluxReference,
  referenceOf,
  referenceString,
  sourceOf,
} from '@interlock/gating';

/** Two objects that must proceed together, because one depends on the other. */
export interface Join {
  one: FluxObject;
  other: FluxObject;
  /** How they are related, in words. */
  how: string;
}

/** Returns the objects that an object names as related: by `include` of a GitRepository, or by `dependsOn` of an applier. */
export function referencesOf({ kind, metadata, spec }: FluxObject): FluxReference[] {
  const { namespace: own } = metadata;
  if (kind === 'GitRepository')
    return (spec.include ?? []).map(({ repository: { name } }) => ({ kind, name, namespace: own }));
  return (spec.dependsOn ?? []).map(({ name, namespace = own }) => ({ kind, name, namespace }));
}

/** Returns the pairs of an object and each existing object that it names as related. */
export function joinsOf(one: FluxObject, objects: Pick<FluxObjects, 'get'>): Join[] {
  const verb = one.kind === 'GitRepository' ? 'includes' : 'depends on';
  return referencesOf(one).flatMap((reference): Join[] => {
    const other = objects.get(reference);
    return other === undefined ? [] : [{ one, other, how: `${label(one)} ${verb} ${label(other)}` }];
  });
}

/** Returns the source of an applier; for any other object, the object itself. */
export function rootOf(object: FluxObject, objects: FluxObjects): FluxObject {
  const source = sourceOf(object);
  return (source && objects.get(source)) ?? object;
}

export function label(object: FluxObject): string {
  return referenceString(referenceOf(object));
}
