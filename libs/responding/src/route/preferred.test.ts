import { expect, it } from '@jest/globals';
import type { GitOpsResponderConfig } from '@interlock/api';
import { preferredConfig } from './preferred.js';

it.each([
  [['b', 'default', 'a'], 'default'],
  [['b', 'a'], 'a'],
  [[], undefined],
])(
  'preferredConfig returns the config "default" of %j, or else the first config by name',
  (names, expected) => {
    const configs = names.map((name): GitOpsResponderConfig => ({
      apiVersion: 'security.ugallu.io/v1alpha1',
      kind: 'GitOpsResponderConfig',
      metadata: { name },
      spec: { routes: [] },
    }));
    expect(preferredConfig(configs)?.metadata.name).toBe(expected);
  },
);
