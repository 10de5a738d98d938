import { typeMeta, type Kind, type KubeObject, type ObjectMeta } from '@interlock/api';

type Parts = KubeObject & { spec: object; status?: object };

/** Differences from the default object of a test: single fields of metadata and spec, and the status. */
export interface Differences<T extends Parts> {
  metadata?: Partial<ObjectMeta> | undefined;
  spec?: Partial<T['spec']> | undefined;
  status?: T['status'] | undefined;
}

/** Returns an object of a kind: the default object, changed by the differences. */
export function buildObject<T extends Parts>(
  kind: Kind<T>,
  defaults: Pick<T, 'metadata' | 'spec'>,
  { metadata, spec, status }: Differences<T> = {},
): T {
  const object: Parts = {
    ...typeMeta(kind),
    metadata: { ...defaults.metadata, ...metadata },
    spec: { ...defaults.spec, ...spec },
    ...(status && { status }),
  };
  return object as T;
}
