import { FakeClock } from '@interlock/base/testing';
import { describe, expect, test } from '@jest/globals';
import { loadCredentials } from './credentials.js';
import type { Impersonation } from './impersonation.js';

/** Loads the credentials of a user `u` with these fields. */
function load(fields: object, given?: Impersonation) {
  const kubeConfig = {
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com' } }],
    users: [{ name: 'u', user: fields }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return loadCredentials(kubeConfig, new FakeClock(), undefined, given);
}

/** Returns the headers, in UTF-8 as a server reads them. */
async function headersOf(fields: object, given?: Impersonation) {
  const { headers } = await load(fields, given).current();
  return JSON.parse(Buffer.from(JSON.stringify(headers), 'latin1').toString()) as object;
}

const all = { as: 'jane', 'as-groups': ['a', 'b'], 'as-uid': '7', 'as-user-extra': { scopes: ['v', 'w'] } };
const headersOfAll = {
  'impersonate-user': 'jane',
  'impersonate-group': ['a', 'b'],
  'impersonate-uid': '7',
  'impersonate-extra-scopes': ['v', 'w'],
};

/* Each result is that of kubectl 1.32 with the same kubeconfig. */
describe('the impersonation of a kubeconfig, like in kubectl,', () => {
  test.each<[string, object, object]>([
    ['has no headers without its fields', {}, {}],
    [
      'has no headers with empty fields',
      { as: '', 'as-groups': [], 'as-uid': '', 'as-user-extra': null },
      {},
    ],
    ['has the headers of all fields', all, headersOfAll],
    ['accepts fields without a value', { as: 'jane', 'as-groups': null }, { 'impersonate-user': 'jane' }],
    [
      'encodes keys that are not header names',
      { as: 'jane', 'as-user-extra': { 'Acme.com/pro%j(é)': ['v'] } },
      { 'impersonate-user': 'jane', 'impersonate-extra-acme.com%2fpro%25j%28%c3%a9%29': ['v'] },
    ],
    [
      'merges keys that differ in case only',
      { as: 'jane', 'as-user-extra': { A: ['v'], a: ['w'] } },
      { 'impersonate-user': 'jane', 'impersonate-extra-a': ['v', 'w'] },
    ],
    [
      'sends values in UTF-8',
      { as: 'jürgen', 'as-groups': ['日本'] },
      { 'impersonate-user': 'jürgen', 'impersonate-group': ['日本'] },
    ],
  ])('%s', async (_, fields, headers) => {
    expect(await headersOf(fields)).toEqual(headers);
  });

  test.each<[string, Impersonation, object]>([
    ['the user', { user: 'joe' }, { ...headersOfAll, 'impersonate-user': 'joe' }],
    ['the groups', { groups: ['g'] }, { ...headersOfAll, 'impersonate-group': ['g'] }],
    ['no field with an empty value', { user: '', groups: [] }, headersOfAll],
  ])('has %s of the command line', async (_, given, headers) => {
    expect(await headersOf(all, given)).toEqual(headers);
  });

  test('has the groups of the kubeconfig for a user of the command line', async () => {
    expect(await headersOf({ 'as-groups': ['a'] }, { user: 'joe' })).toEqual({
      'impersonate-user': 'joe',
      'impersonate-group': ['a'],
    });
  });

  test.each<[object, Impersonation]>([
    [{ 'as-groups': ['a'] }, {}],
    [{ 'as-uid': '7' }, {}],
    [{ 'as-user-extra': { a: ['b'] } }, {}],
    [{ as: '', 'as-groups': ['a'] }, {}],
    [{}, { groups: ['a'] }],
  ])('is refused without a user: %j %j', (fields, given) => {
    expect(() => load(fields, given)).toThrow(
      'groups, a UID or extra fields are impersonated without a user; ' +
        'set --as, or `as` of the user "u" of the kubeconfig',
    );
  });

  test.each<[object, string]>([
    [{ as: 7 }, 'the field as of the user "u" of the kubeconfig is not a string'],
    [{ 'as-groups': 'a' }, 'the field as-groups of the user "u" of the kubeconfig is not a list of strings'],
    [{ 'as-groups': [7] }, 'the field as-groups of the user "u" of the kubeconfig is not a list of strings'],
    [{ 'as-uid': 7 }, 'the field as-uid of the user "u" of the kubeconfig is not a string'],
    [
      { 'as-user-extra': { a: 'b' } },
      'the field as-user-extra of the user "u" of the kubeconfig is not a map of lists of strings',
    ],
  ])('is refused with a field of another type: %j', (fields, message) => {
    expect(() => load({ as: 'jane', ...fields })).toThrow(message);
  });
});
