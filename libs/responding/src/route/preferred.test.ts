import { expect, it } from '@jest/globals';
import type { GitOpsResponderConfig } from '@interlock/api';
import { preferredConfig } from './preferred.js';

it.each([
  [['b', 'default', 'a'], 'default'],
  [['b', 'a'], 'a'],
  [[], undefined],
])('preferredConfig returns default, or else the first by name, of %j', (names, expected) => {
  const configs = names.map((name): GitOpsResponderConfig => ({
    apiVersion: 'security.ugallu.io/v1alpha1',
    kind: 'GitOpsResponderConfig',
    metadata: { name },
    spec: { routes: [] },
  }));
  expect(preferredConfig(configs)?.metadata.name).toBe(expected);
});
