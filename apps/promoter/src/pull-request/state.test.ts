import { describe, expect, it } from '@jest/globals';
import { isFinal } from './state.js';
import { open, pullRequest } from './testing/builders.js';

describe('isFinal', () => {
  const { headSHA: _head, ...byHand } = pullRequest().spec;
  it('returns true for a pull request that was created manually, until its spec changes', () => {
    const closed = {
      ...pullRequest({ status: { ...open, state: 'closed', observedGeneration: 1 } }),
      spec: byHand,
    };
    expect(isFinal(closed)).toBe(true);
    expect(isFinal({ ...closed, metadata: { ...closed.metadata, generation: 2 } })).toBe(false);
  });
});
