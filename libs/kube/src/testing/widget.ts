import type { Kind } from '@interlock/api';

/** A custom kind for tests. */
export const Widget: Kind = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};
