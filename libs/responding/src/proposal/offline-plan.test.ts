import { describe, expect, it } from '@jest/globals';
import { canonicalDigest } from '@interlock/base';
import type { Operation } from '../change/operation.js';
import { changeFacts, planOffline } from './offline-plan.js';

const image: Operation = { op: 'image.set', image: 'a', newTag: 'v2' };

describe('planOffline', () => {
  it('returns whole files as files, and lists edits', () => {
    const operations: Operation[] = [
      { op: 'file.write', path: 'a.yaml', contents: 'kind: A\nx: 1\n' },
      { op: 'file.delete', path: 'b.yaml' },
      { op: 'yaml.patch', path: 'a.yaml', patch: { type: 'merge', value: { x: 2 } } },
      { op: 'yaml.deleteDocument', path: 'c.yaml' },
      image,
    ];
    const plan = planOffline(operations);
    expect(plan).toEqual({
      absent: [],
      files: [
        { path: 'a.yaml', change: 'add', content: 'kind: A\nx: 2\n' },
        { path: 'b.yaml', change: 'delete' },
      ],
      added: 2,
      removed: 0,
      digest: canonicalDigest(operations),
      unread: [{ op: 'yaml.deleteDocument', path: 'c.yaml' }, { op: 'image.set' }],
    });
    expect(changeFacts(plan).files.slice(2)).toEqual([
      { path: 'c.yaml', change: 'yaml.deleteDocument' },
      { path: 'the file of the subject', change: 'image.set' },
    ]);
  });

  it.each<[Operation]>([
    [{ op: 'file.write', path: '.github/workflows/x.yaml', contents: '' }],
    [{ op: 'file.delete', path: '.github/workflows/x.yaml' }],
    [{ ...image, path: '.github/workflows/x.yaml' }],
  ])('refuses changes that the guards refuse: %j', (operation) => {
    expect(() => planOffline([operation])).toThrow(expect.objectContaining({ reason: 'PathNotAllowed' }));
  });
});
