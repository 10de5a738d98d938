import { describe, expect, it } from '@jest/globals';
import { typeMeta } from '../object.js';
import { CommitStatus } from './commit-status.js';
import { commitStatusAt, endOfSuccess } from './validity.js';

const validUntil = '2026-11-27T00:00:00Z';
const end = Date.parse(validUntil);
const reported = (spec: Pick<CommitStatus['spec'], 'phase' | 'validUntil'>): CommitStatus => ({
  ...typeMeta(CommitStatus),
  metadata: { name: 'freeze' },
  spec: { repoRef: { name: 'deployments' }, sha: 'a'.repeat(40), name: 'freeze', ...spec },
});

describe('a CommitStatus with the end of its success', () => {
  it.each([
    ['is successful before the end', { phase: 'success', validUntil }, end - 1, 'success'],
    ['is in progress from the end', { phase: 'success', validUntil }, end, 'in_progress'],
    ['stays successful without an end', { phase: 'success' }, end, 'success'],
    ['stays failed after the end', { phase: 'failure', validUntil }, end, 'failure'],
  ] as const)('%s', (_case, spec, now, phase) => {
    expect(commitStatusAt(reported(spec), now).spec.phase).toBe(phase);
  });

  it('states why it is no longer successful', () => {
    const { description } = commitStatusAt(reported({ phase: 'success', validUntil }), end).spec;
    expect(description).toContain(`valid until ${validUntil}`);
  });

  it('has an end only while it is successful', () => {
    expect(endOfSuccess(reported({ phase: 'success', validUntil }))).toBe(end);
    expect(endOfSuccess(reported({ phase: 'failure', validUntil }))).toBeUndefined();
    expect(endOfSuccess(reported({ phase: 'success' }))).toBeUndefined();
  });
});
