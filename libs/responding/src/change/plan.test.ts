import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, Operation } from './operation.js';
import { pathsToRead, planChange, type ChangePlan, type FileState } from './plan.js';

type Snapshot = Readonly<Record<string, string>>;

function plan(snapshot: Snapshot, operations: Operation[], guards = {}): ChangePlan {
  const known = new Set(pathsToRead(operations));
  return planChange(
    operations,
    (path): FileState => {
      if (!known.has(path)) throw new Error(`${path} is not to be read`);
      const text = Object.hasOwn(snapshot, path) ? snapshot[path] : undefined;
      return text === undefined ? undefined : { text };
    },
    guards,
  );
}

const contents = (result: ChangePlan): Record<string, string | undefined> =>
  Object.fromEntries(result.files.map(({ path, content }) => [path, content]));

const binding = (name: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: ${name}\n`;
const remove = (name: string, path = 'rbac/b.yaml'): Operation => ({
  op: 'yaml.deleteDocument',
  path,
  select: { kind: 'ClusterRoleBinding', name },
});

describe('planChange: whole files', () => {
  it('adds, modifies and deletes files, and counts lines', () => {
    const result = plan({ a: 'x\ny\n', b: 'z\n' }, [
      { op: 'file.write', path: 'a', contents: 'x\nw\nv\n' },
      { op: 'file.delete', path: 'b' },
      { op: 'file.write', path: 'c', contents: 'n' },
      { op: 'file.delete', path: 'd' },
    ]);
    expect(result).toEqual({
      files: [
        { path: 'a', change: 'modify', content: 'x\nw\nv\n' },
        { path: 'b', change: 'delete' },
        { path: 'c', change: 'add', content: 'n' },
      ],
      added: 3,
      removed: 2,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      absent: [{ op: 'file.delete', path: 'd', reason: 'FileNotFound' }],
    });
  });

  it('finds nothing to change in files with the desired content', () => {
    const result = plan({ a: 'x' }, [{ op: 'file.write', path: 'a', contents: 'x' }]);
    expect(result).toMatchObject({ files: [], added: 0, removed: 0 });
  });

  it('counts the lines of a difference that is too long to compute', () => {
    const lines = (from: number) => Array.from({ length: 6000 }, (_, i) => `${from + i}\n`).join('');
    const result = plan({ a: lines(0) }, [{ op: 'file.write', path: 'a', contents: lines(10_000) }]);
    expect(result).toMatchObject({ added: 6000, removed: 6000 });
  });

  it('refuses symbolic links, guarded paths, exceeded limits, and operations that undo one another', () => {
    const write: Operation = { op: 'file.write', path: 'a', contents: 'x' };
    expect(() => planChange([write], () => ({ text: 'b', symbolicLink: true }))).toThrow(
      expect.objectContaining({ reason: 'SymbolicLink' }),
    );
    expect(() => plan({}, [{ ...write, path: '.github/workflows/x.yaml' }])).toThrow('may not be changed');
    expect(() => plan({}, [write], { maxBytes: 0 })).toThrow('limits.maxBytes');
    const patch: Operation = {
      op: 'yaml.patch',
      path: 'a',
      patch: {
        type: 'json',
        operations: [
          { op: 'copy', from: '/a', path: '/b' },
          { op: 'replace', path: '/a', value: 2 },
        ],
      },
    };
    expect(() => plan({ a: 'a: 1\n' }, [patch])).toThrow(
      expect.objectContaining({ reason: 'NotIdempotent' }),
    );
  });
});

describe('planChange: documents', () => {
  const two = `# license\n---\n${binding('a')}---\n# second\n${binding('b')}`;

  it('deletes one of several documents', () => {
    expect(contents(plan({ 'rbac/b.yaml': two }, [remove('a')]))).toEqual({
      'rbac/b.yaml': `# license\n---\n# second\n${binding('b')}`,
    });
    expect(contents(plan({ 'rbac/b.yaml': two }, [remove('b')]))).toEqual({
      'rbac/b.yaml': `# license\n---\n${binding('a')}`,
    });
    expect(plan({ 'rbac/b.yaml': two }, [remove('c')]).files).toEqual([]);
  });

  it('names missing targets of deletions', () => {
    const select = { kind: 'ClusterRoleBinding', name: 'c' };
    const target = { op: 'yaml.deleteDocument', path: 'rbac/b.yaml', select };
    expect(plan({ 'rbac/b.yaml': two }, [remove('c'), remove('a')])).toMatchObject({
      files: [{ path: 'rbac/b.yaml' }],
      absent: [{ ...target, reason: 'DocumentNotFound' }],
    });
    expect(plan({}, [remove('c')]).absent).toEqual([{ ...target, reason: 'FileNotFound' }]);
    expect(plan({ 'rbac/b.yaml': two }, [remove('a'), remove('a')]).absent).toEqual([]);
  });

  it('deletes a file with its last document, and its entries in kustomizations', () => {
    const snapshot = {
      'rbac/b.yaml': `# only this\n${binding('a')}---\n# nothing\n`,
      'rbac/kustomization.yaml': 'resources:\n  - a.yaml # kept\n  - ./b.yaml # goes\nnamePrefix: x-\n',
      Kustomization: 'resources: [rbac/b.yaml, rbac/a.yaml]\npatches:\n- path: rbac/b.yaml\n',
    };
    expect(contents(plan(snapshot, [remove('a')]))).toEqual({
      'rbac/b.yaml': undefined,
      'rbac/kustomization.yaml': 'resources:\n  - a.yaml # kept\nnamePrefix: x-\n',
      Kustomization: 'resources: [rbac/a.yaml]\npatches: []\n',
    });
  });

  it('refuses an ambiguous document', () => {
    const merge: Operation = { op: 'yaml.patch', path: 'a', patch: { type: 'merge', value: { x: 1 } } };
    expect(() => plan({ a: two }, [merge])).toThrow(
      '"a" has ClusterRoleBinding a (rbac.authorization.k8s.io/v1) and ClusterRoleBinding b',
    );
    expect(() => plan({ a: two }, [{ ...merge, select: { name: 'c' } }])).toThrow(
      expect.objectContaining({ reason: 'DocumentNotFound' }),
    );
    expect(() => plan({}, [merge])).toThrow(expect.objectContaining({ reason: 'FileNotFound' }));
    expect(() => plan({ a: 'a: [' }, [merge])).toThrow('"a" is not YAML: line 1, column 5');
    expect(contents(plan({ a: two }, [{ ...merge, select: { name: 'b' } }]))).toEqual({ a: `${two}x: 1\n` });
  });

  const list = [
    '# all bindings',
    'apiVersion: v1',
    'kind: List',
    'items:',
    '- kind: ClusterRoleBinding',
    '  metadata: {name: a}',
    '# the second',
    '- kind: ClusterRoleBinding # b',
    '  metadata:',
    '    name: b',
    '',
  ].join('\n');

  it('deletes an item of a List, and the List with its last item', () => {
    const files = { 'rbac/b.yaml': list, 'rbac/kustomization.yaml': 'resources: [b.yaml, c.yaml]\n' };
    const rest = list.split('\n').slice(0, 7).join('\n') + '\n';
    const [deleted] = plan(files, [remove('b')]).files;
    expect(deleted).toEqual({ path: 'rbac/b.yaml', change: 'modify', content: rest });
    expect(contents(plan({ ...files, 'rbac/b.yaml': rest }, [remove('a')]))).toEqual({
      'rbac/b.yaml': undefined,
      'rbac/kustomization.yaml': 'resources: [c.yaml]\n',
    });
    expect(plan(files, [remove('c')]).absent).toHaveLength(1);
  });

  it('keeps the other objects of a List inside another List', () => {
    const inner = ['a', 'b'].map((name) => `  - kind: ClusterRoleBinding\n    metadata: {name: ${name}}\n`);
    const nested = (items: string[]) => `kind: List\nitems:\n- kind: List\n  items:\n${items.join('')}`;
    const files = { 'rbac/b.yaml': nested(inner) };
    expect(contents(plan(files, [remove('a')]))).toEqual({ 'rbac/b.yaml': nested(inner.slice(1)) });
    expect(contents(plan(files, [remove('a'), remove('b')]))).toEqual({ 'rbac/b.yaml': undefined });
  });

  it.each<[Operation, string]>([
    [
      {
        op: 'yaml.patch',
        path: 'rbac/b.yaml',
        select: { name: 'b' },
        patch: { type: 'json', operations: [{ op: 'replace', path: '/kind', value: 'Other' }] },
      },
      list.replace('ClusterRoleBinding # b', 'Other # b'),
    ],
    [
      {
        op: 'yaml.patch',
        path: 'rbac/b.yaml',
        select: { name: 'a' },
        patch: { type: 'merge', value: { metadata: { labels: { team: 'x' } } } },
      },
      list.replace('{name: a}', '{name: a, labels: { team: x }}'),
    ],
    [
      {
        op: 'yaml.patch',
        path: 'rbac/b.yaml',
        select: { kind: 'List' },
        patch: { type: 'json', operations: [{ op: 'remove', path: '/items/1' }] },
      },
      list.split('\n').slice(0, 7).join('\n') + '\n',
    ],
  ])('edits an item of a List, or the List itself: %j', (operation, expected) => {
    expect(contents(plan({ 'rbac/b.yaml': list }, [operation]))).toEqual({ 'rbac/b.yaml': expected });
  });

  it('sets images in the items of a List', () => {
    const pods = [
      'kind: List',
      'items:',
      '- kind: Pod',
      '  metadata: {name: a}',
      '  spec: {containers: [{image: "app:v1"}]}',
      '- kind: Pod',
      '  metadata: {name: b}',
      '  spec: {containers: [{image: "app:v1"}]}',
      '',
    ].join('\n');
    const set: Operation = { op: 'image.set', path: 'a.yaml', image: 'app', newTag: 'v2' };
    expect(contents(plan({ 'a.yaml': pods }, [set]))).toEqual({ 'a.yaml': pods.replaceAll('v1', 'v2') });
    const one = { ...set, select: { name: 'b' } };
    expect(contents(plan({ 'a.yaml': pods }, [one]))['a.yaml']?.match(/v\d/g)).toEqual(['v1', 'v2']);
  });

  it('merges deeply, and removes null values', () => {
    const text = 'a: # one\n  b: 1\n  c: {d: 1}\nl: [1]\n';
    const value = { a: { b: null, c: { d: 2, e: { f: null, g: 1 } } }, l: [2], x: null };
    const result = plan({ f: text }, [{ op: 'yaml.patch', path: 'f', patch: { type: 'merge', value } }]);
    expect(contents(result)).toEqual({ f: 'a: # one\n  c: {d: 2, e: { g: 1 }}\nl:\n- 2\n' });
  });
});

describe('planChange, for random changes of a file', () => {
  const member = fc.json({ maxDepth: 1, depthSize: 'small' }).map((text) => JSON.parse(text) as Json);
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), member, { maxKeys: 3 });
  const path = fc.constantFrom('/a', '/b', '/c', '/l/0', '/l/-', '/l/1', '/m/a');
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({
      op: fc.constant('file.write' as const),
      path: fc.constant('f'),
      contents: fc.constantFrom('a: 1\n', 'l: []\n'),
    }),
    object.map((value): Operation => ({ op: 'yaml.patch', path: 'f', patch: { type: 'merge', value } })),
    fc.tuple(path, member, fc.constantFrom('add', 'replace', 'test')).map(([at, value, op]): Operation => ({
      op: 'yaml.patch',
      path: 'f',
      patch: { type: 'json', operations: [{ op: op as 'add', path: at, value }] },
    })),
    path.map((at): Operation => ({
      op: 'yaml.patch',
      path: 'f',
      patch: { type: 'json', operations: [{ op: 'remove', path: at }] },
    })),
    fc.constant<Operation>({ op: 'yaml.deleteDocument', path: 'f' }),
  );

  it('is idempotent, or refuses the changes', () => {
    let planned = 0;
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
        const before = { f: 'a: 1 # a\nl: [x, y]\nm:\n  a: {}\n' };
        let once: ChangePlan;
        try {
          once = plan(before, operations);
        } catch {
          return;
        }
        planned += once.files.length;
        const after = Object.fromEntries(
          Object.entries({ ...before, ...contents(once) }).filter(([, text]) => text !== undefined),
        ) as Snapshot;
        expect(plan(after, operations).files).toEqual([]);
        expect(plan(after, operations).digest).toBe(once.digest);
      }),
      { numRuns: 300 },
    );
    expect(planned).toBeGreaterThan(0);
  });
});
