import { describe, expect, it } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import type { CheckLine } from './model.js';
import { promotionStatusSpec } from './promotion-status.js';
import { sha } from './testing/builders.js';

const subject = { repoRef: { name: 'repo' }, branch: 'environments/prod', sha: sha('a1') };
const line = (state: CheckLine['state'], message: string): CheckLine => ({
  name: 'Order',
  state,
  reason: 'Because',
  message,
});

describe('promotionStatusSpec', () => {
  it.each([
    ['goes ahead', [line('success', 'in order')], 'success', 'environments/prod: all hold'],
    ['waits', [line('pending', 'test runs a1')], 'in_progress', 'environments/prod: test runs a1'],
    ['fails', [line('failure', 'test is broken')], 'failure', 'environments/prod: test is broken'],
  ] as const)('names the branch in the description when it %s', (_what, lines, phase, description) => {
    expect(promotionStatusSpec(subject, lines, 'all hold')).toEqual({
      repoRef: subject.repoRef,
      sha: subject.sha,
      name: 'promotion',
      phase,
      description,
    });
  });

  it('has the configured name', () => {
    expect(promotionStatusSpec({ ...subject, name: 'interlock' }, [], 'all hold').name).toBe('interlock');
  });

  it('has a description that the API server accepts, however long the reason is', () => {
    const spec = promotionStatusSpec(subject, [line('failure', `health of test: ${'x'.repeat(1024)}`)], '');
    expect(CommitStatus.spec.safeParse(spec).error).toBeUndefined();
    expect(spec.description).toMatch(/^environments\/prod: health of test: x+…$/);
  });
});
