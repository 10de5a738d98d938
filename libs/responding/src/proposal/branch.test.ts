import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { responseOf } from '../testing/objects.js';
import { branchOf } from './branch.js';

const uid = '0b5c2a1e-9f3d-4c11-8a57-1d2e3f405162';

function named(name: string, parameters: Record<string, string> = {}): string {
  const action = { type: 'GitOpsChange', parameters };
  return branchOf(responseOf({ securityEventRef: { name }, action }, { uid }), 'main');
}

describe('branchOf', () => {
  it.each([
    ['se-1', 'ugallu/se-1/0b5c2a1e'],
    ['', 'ugallu/er-1/0b5c2a1e'],
    ['a..b', 'ugallu/a.b/0b5c2a1e'],
    ['.a.lock', 'ugallu/a-lock/0b5c2a1e'],
    ['a.lock.', 'ugallu/a-lock/0b5c2a1e'],
    ['../../x', 'ugallu/x/0b5c2a1e'],
    ['a/b', 'ugallu/a-b/0b5c2a1e'],
    ['@{', 'ugallu/event/0b5c2a1e'],
    ['`x`@everyone<b>', 'ugallu/x-everyone-b/0b5c2a1e'],
    ['{{ .x }}', 'ugallu/x/0b5c2a1e'],
    ['x'.repeat(1_048_576), `ugallu/${'x'.repeat(100)}/0b5c2a1e`],
  ])('returns a valid branch for the name of an event: %#', (name, branch) => {
    expect(named(name)).toBe(branch);
  });

  it('returns a branch that is valid in git for any name of the event', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 150 }), (name) => {
        expect(named(name)).toMatch(
          /^ugallu\/(?!.*(\.\.|\.lock\/))[A-Za-z0-9_]([\w.-]{0,98}[A-Za-z0-9_])?\/0b5c2a1e$/,
        );
      }),
    );
  });

  it('returns the parameter unchanged', () => {
    expect(named('se-1', { branch: 'security/fix-1' })).toBe('security/fix-1');
    expect(named('se-1', { branch: '' })).toBe('ugallu/se-1/0b5c2a1e');
  });

  it.each([
    'main',
    'MAIN',
    'HEAD',
    '@',
    'refs/heads/main',
    '-f',
    'a/-f',
    'a b',
    'a\n',
    'a\u200B',
    'a..b',
    'a//b',
    '/a',
    'a/',
    'a.',
    '.a',
    'a/.b',
    'a.lock/b',
    'a@{1}',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a'.repeat(40),
    'x'.repeat(201),
  ])('refuses the parameter %j', (branch) => {
    expect(() => named('se-1', { branch })).toThrow(
      expect.objectContaining({ type: 'Invalid', reason: 'BranchInvalid' }),
    );
  });

  it('refuses every branch that git refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a./-@{~^:lock \\'), maxLength: 8 }), (branch) => {
        let isTaken = branch !== '';
        try {
          named('se-1', { branch });
        } catch {
          isTaken = false;
        }
        if (isTaken) execFileSync('git', ['check-ref-format', '--branch', branch]);
      }),
    );
  });

  it.each([undefined, '', 'a b', 'a-->', 'a--b', '<b>', 'x'.repeat(129)])('refuses the UID %j', (bad) => {
    const response = responseOf();
    const { uid: _, ...metadata } = response.metadata;
    const object = { ...response, metadata: { ...metadata, ...(bad !== undefined && { uid: bad }) } };
    expect(() => branchOf(object, 'main')).toThrow(expect.objectContaining({ reason: 'UIDInvalid' }));
  });
});
