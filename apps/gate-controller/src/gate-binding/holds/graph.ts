import { type FluxObject, type FluxObjects, referenceOf, referenceString, sourceOf } from '@interlock/gating';
import type { FluxKind } from '@interlock/api';

/** Two objects that must proceed together, because one depends on the other. */
interface Join {
  one: FluxObject;
  other: FluxObject;
  /** How they are related, in words. */
  how: string;
}

/** Returns the pairs of objects that are related by `include` of a GitRepository, or by `dependsOn` of appliers. */
export function joinsOf(objects: FluxObjects): Join[] {
  const includes = objects.list('GitRepository').flatMap((one) =>
    (one.spec.include ?? []).flatMap(({ repository }): Join[] => {
      const other = objects.get({ ...referenceOf(one), name: repository.name });
      return other === undefined ? [] : [{ one, other, how: `${label(one)} includes ${label(other)}` }];
    }),
  );
  const kinds: FluxKind[] = ['Kustomization', 'HelmRelease'];
  const depends = kinds.flatMap((kind) =>
    objects.list(kind).flatMap((one) =>
      (one.spec.dependsOn ?? []).flatMap(({ name, namespace = one.metadata.namespace }): Join[] => {
        const reference = { ...referenceOf(one), name, namespace };
        const other = objects.get(reference);
        return other === undefined ? [] : [{ one, other, how: `${label(one)} depends on ${label(other)}` }];
      }),
    ),
  );
  return [...includes, ...depends];
}

/** Returns the source of an applier; for any other object, the object itself. */
export function rootOf(object: FluxObject, objects: FluxObjects): FluxObject {
  const source = sourceOf(object);
  return (source && objects.get(source)) ?? object;
}

export function label(object: FluxObject): string {
  return referenceString(referenceOf(object));
}
