import { describe, expect, test } from '@jest/globals';
import { grantedOf, permissionsFor, samePermissions } from './permissions.js';

describe('the permissions of a token', () => {
  test.each([
    [[], { metadata: 'read' }],
    [['contents'] as const, { metadata: 'read', contents: 'write' }],
    [['statuses'] as const, { metadata: 'read', checks: 'write' }],
    [
      ['contents', 'pullRequests'] as const,
      { metadata: 'read', contents: 'write', pull_requests: 'write', checks: 'read', statuses: 'read' },
    ],
    [
      ['statuses', 'pullRequests'] as const,
      { metadata: 'read', contents: 'write', pull_requests: 'write', checks: 'write', statuses: 'read' },
    ],
  ])('are the permissions that %j needs', (uses, expected) => {
    expect(permissionsFor(uses)).toEqual(expected);
  });

  test('are at most the permissions of the installation', () => {
    const needed = permissionsFor(['pullRequests']);
    const granted = { metadata: 'read', contents: 'read', pull_requests: 'admin', issues: 'write' };
    expect(grantedOf(needed, granted)).toEqual({
      metadata: 'read',
      contents: 'read',
      pull_requests: 'write',
    });
    expect(grantedOf(needed, {})).toEqual({ metadata: 'read' });
  });

  test('are compared by their levels', () => {
    expect(samePermissions({ checks: 'read' }, { checks: 'read' })).toBe(true);
    expect(samePermissions({ checks: 'read' }, { checks: 'write' })).toBe(false);
    expect(samePermissions({ checks: 'read' }, {})).toBe(false);
    expect(samePermissions({}, { checks: 'read' })).toBe(false);
  });
});
