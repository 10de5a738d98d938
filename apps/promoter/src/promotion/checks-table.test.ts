import { describe, expect, it } from '@jest/globals';
import { checksTable } from './checks-table.js';

describe('checksTable', () => {
  it('shows each check and what the promotion waits for', () => {
    const lines = [
      { name: 'lint', state: 'success', reason: 'Success', message: 'clean' },
      { name: 'freeze', state: 'pending', reason: 'InProgress', message: 'until | Monday' },
    ] as const;
    expect(checksTable(lines, 'freeze: until | Monday')).toBe(
      [
        '| | check | |',
        '|---|---|---|',
        '| ✅ | lint | clean |',
        '| 🟡 | freeze | until &#124; Monday |',
        '',
        '**Waiting**: freeze: until &#124; Monday',
      ].join('\n'),
    );
  });

  it('states that all checks pass when none is required', () => {
    expect(checksTable([], undefined)).toBe('All checks pass.');
  });
});
