import { describe, expect, it } from '@jest/globals';
import { describeWithChecks } from './checks-table.js';

describe('describeWithChecks', () => {
  it('shows each check and what the promotion waits for', () => {
    const lines = [
      { name: 'lint', state: 'success', reason: 'Success', message: 'clean' },
      { name: 'freeze', state: 'pending', reason: 'InProgress', message: 'until | Monday' },
    ] as const;
    expect(describeWithChecks('Text.', lines, 'freeze: until | Monday')).toBe(
      [
        'Text.',
        '',
        '| | check | |',
        '|---|---|---|',
        '| ✅ | lint | clean |',
        '| 🟡 | freeze | until &#124; Monday |',
        '',
        '**Waiting**: freeze: until &#124; Monday',
        '',
      ].join('\n'),
    );
  });

  it('states that all checks pass when none is required', () => {
    expect(describeWithChecks('Text.', [], undefined)).toBe('Text.\n\nAll checks pass.\n');
  });
});
