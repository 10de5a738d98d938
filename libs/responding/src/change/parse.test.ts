import { isTyped } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Operation } from './operation.js';
import { responseOf } from '../testing/objects.js';
import { operationsOf } from './of-response.js';
import { parseOperations, type Parameters } from './parse.js';

const changes = (...list: unknown[]): Parameters => ({ changes: JSON.stringify(list) });

describe('parseOperations', () => {
  it.each<[string, Parameters, Operation[]]>([
    ['nothing', {}, []],
    ['other parameters', { branch: 'x', prTitle: 'y', pathology: 'z' }, []],
    [
      'whole files',
      {
        path: './a//b.yaml',
        contents: '',
        path1: 'c',
        delete1: 'true',
        contents2: 'x',
        path2: 'd',
        delete2: 'False',
      },
      [
        { op: 'file.write', path: 'a/b.yaml', contents: '' },
        { op: 'file.delete', path: 'c' },
        { op: 'file.write', path: 'd', contents: 'x' },
      ],
    ],
    [
      'files and changes',
      { path: 'a', contents: 'x', ...changes({ op: 'file.delete', path: 'b/./c' }) },
      [
        { op: 'file.write', path: 'a', contents: 'x' },
        { op: 'file.delete', path: 'b/c' },
      ],
    ],
    [
      'a JSON patch',
      changes({ op: 'yaml.patch', select: { kind: 'A' }, patch: [{ op: 'remove', path: '/a' }] }),
      [
        {
          op: 'yaml.patch',
          select: { kind: 'A' },
          patch: { type: 'json', operations: [{ op: 'remove', path: '/a' }] },
        },
      ],
    ],
    [
      'a merge patch',
      changes({ op: 'yaml.patch', path: 'a', merge: { a: null } }),
      [{ op: 'yaml.patch', path: 'a', patch: { type: 'merge', value: { a: null } } }],
    ],
    [
      'an image',
      changes({ op: 'image.set', path: 'a', image: 'host:5000/org/app', newTag: 'v1' }),
      [{ op: 'image.set', path: 'a', image: 'host:5000/org/app', newTag: 'v1' }],
    ],
  ])('reads %s', (_, parameters, expected) => {
    expect(parseOperations(parameters)).toEqual(expected);
  });

  it.each<[Parameters, string]>([
    [{ path: 'a', contents: 'x', path2: 'b', contents2: 'y' }, 'path1: it is not set'],
    [{ path1: 'a', contents1: 'x' }, 'path: it is not set'],
    [{ contents: 'x' }, 'path: set the path of the file, or omit contents'],
    [{ path: 'a' }, 'path "a": set contents, or delete: "true"'],
    [{ path: 'a', delete: 'maybe' }, 'delete "maybe": write true or false'],
    [{ path: 'a', contents: 'x', delete: 'true' }, 'set either contents or delete'],
    [{ path: '../a', contents: 'x' }, 'path "../a": it contains ".."'],
    [{ changes: '[' }, 'changes "[": it is not JSON'],
    [changes({ op: 'file.move' }), 'changes[0].op "file.move": it is not one of file.write'],
    [
      changes({ op: 'file.write', path: 'a' }),
      'changes[0].contents: it is missing; set it to a value of the type string',
    ],
    [changes({ op: 'file.delete', path: '/etc/passwd' }), 'changes[0].path "/etc/passwd": it is absolute'],
    [changes({ op: 'file.delete', path: 'a', mode: 1 }), 'it has an unknown field; remove "mode"'],
    [
      changes(...Array.from({ length: 201 }, () => ({ op: 'file.delete', path: 'a' }))),
      'it has more than 200 operations; create further responses for the others',
    ],
    [{ changes: ' '.repeat(2_000_001) }, 'it is longer than 2000000 characters; create several responses'],
    [
      { changes: '{}' },
      'changes "{}": it is not a list of operations; write one such as [{"op": "file.delete"',
    ],
    [changes({ op: 'yaml.patch', path: 'a' }), 'set either patch (JSON Patch) or merge'],
    [changes({ op: 'yaml.patch', path: 'a', patch: [{ op: 'add', path: 'x', value: 1 }] }), 'JSON Pointer'],
    [
      changes({ op: 'yaml.patch', path: 'a', patch: [{ op: 'add', path: '/x' }] }),
      'changes[0].patch[0].value: it is missing; set it to a JSON value',
    ],
    [changes({ op: 'yaml.patch', path: 'a', patch: [{ op: 'frob', path: '/x' }] }), 'it is not one of add'],
    [changes({ op: 'image.set', path: 'a', image: 'a:v1', newTag: 'v2' }), 'without a tag or digest'],
    [changes({ op: 'image.set', path: 'a', image: 'a' }), 'set newName, newTag or digest'],
    [changes({ op: 'yaml.deleteDocument', path: 'a', select: {} }), 'set apiVersion, kind, name'],
  ])('refuses %j', (parameters, message) => {
    expect(() => parseOperations(parameters)).toThrow(message);
    expect(() => parseOperations(parameters)).toThrow(
      expect.objectContaining({ type: 'Invalid', reason: 'InvalidParameters' }),
    );
  });

  it('parses any parameters, or throws Invalid', () => {
    const name = fc.oneof(
      fc.constantFrom(...['path', 'contents', 'delete'].flatMap((field) => [field, `${field}1`])),
      fc.constantFrom('path10', 'changes', '__proto__'),
      fc.string(),
    );
    const value = fc.oneof(fc.string(), fc.json(), fc.constantFrom('true', 'a/b', '../x', '[]'));
    fc.assert(
      fc.property(fc.dictionary(name, value), (parameters) => {
        try {
          parseOperations(parameters);
        } catch (error) {
          expect(isTyped(error, 'Invalid')).toBe(true);
        }
      }),
    );
  });

  it.each([1_000, 100_000])('refuses a value that is nested %i levels deep', (levels) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const changes = `[{"op":"yaml.patch","path":"a.yaml","merge":{"a":${deep}}}]`;
    expect(() => parseOperations({ changes })).toThrow(
      expect.objectContaining({ type: 'Invalid', reason: 'InvalidParameters' }),
    );
  });
});

describe('operationsOf', () => {
  it('returns the operations in the parameters of a response, and requires at least one operation', () => {
    const action = { type: 'GitOpsChange', parameters: { path: 'a', delete: 'true' } };
    expect(operationsOf(responseOf({ action }))).toEqual([{ op: 'file.delete', path: 'a' }]);
    expect(() => operationsOf(responseOf({ action: { type: 'GitOpsChange' } }))).toThrow(
      expect.objectContaining({ type: 'Invalid', reason: 'NoOperations' }),
    );
  });
});
