import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { configMap, secret } from '../../suite/objects.js';
import type { Scope } from '../../suite/scope.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Creates a Secret of a type, which is not stored. */
function attemptTyped(
  scope: Scope,
  type: string,
  data: Record<string, string>,
  annotations?: Record<string, string>,
): Promise<Answer> {
  const metadata = { name: scope.name('typed'), ...(annotations && { annotations }) };
  return scope.api.post(
    scope.core('secrets'),
    { ...secret(metadata.name, data), metadata, type },
    { query: { dryRun: 'All' } },
  );
}

/** Declares the rules about the validation of ConfigMaps and Secrets. */
export function dataRules(rule: Rule): void {
  rule('refuses changes of the data of an immutable ConfigMap', async (scope) => {
    const name = scope.name('immutable');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), { ...configMap(name, { a: '1' }), immutable: true });
    const changed = await scope.api.patch(path, 'merge', { data: { a: '2' } });
    expectInvalid(changed, 'data');
    expect(changed.body.details?.causes).toMatchObject([{ reason: 'FieldValueForbidden' }]);
    expectInvalid(await scope.api.patch(path, 'merge', { binaryData: { b: 'YQ==' } }), 'binaryData');
    expectInvalid(await scope.api.patch(path, 'merge', { immutable: false }), 'immutable');
    expectInvalid(await scope.api.patch(path, 'merge', { immutable: null }), 'immutable');
    const labelled = await scope.api.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled).toMatchObject({ status: 200, body: { data: { a: '1' }, immutable: true } });
  });

  rule('lets a ConfigMap become immutable', async (scope) => {
    const name = scope.name('frozen');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const frozen = await scope.api.patch(path, 'merge', { immutable: true, data: { a: '2' } });
    expect(frozen).toMatchObject({ status: 200, body: { immutable: true, data: { a: '2' } } });
    expectInvalid(await scope.api.patch(path, 'merge', { data: { a: '3' } }), 'data');
  });

  rule('accepts only keys of letters, digits, "-", "_" and "." in the data of a ConfigMap', async (scope) => {
    const attempt = (data: Record<string, string>) =>
      scope.api.post(scope.core('configmaps'), configMap(scope.name('keys'), data), {
        query: { dryRun: 'All' },
      });
    expect(await attempt({ 'File_1.a-b': '', '.hidden': 'x' })).toMatchObject({ status: 201 });
    for (const key of ['a b', 'a/b', '..', 'k'.repeat(254)]) {
      expectInvalid(await attempt({ [key]: 'x' }), `data[${key}]`);
    }
  });

  rule('refuses a key that is both in data and in binaryData of a ConfigMap', async (scope) => {
    const object = { ...configMap(scope.name('both'), { a: '1' }), binaryData: { a: 'YQ==' } };
    const query = { dryRun: 'All' };
    expectInvalid(await scope.api.post(scope.core('configmaps'), object, { query }), 'data[a]');
    const apart = { ...object, binaryData: { b: 'YQ==' } };
    expect(await scope.api.post(scope.core('configmaps'), apart, { query })).toMatchObject({ status: 201 });
  });

  rule('stores the stringData of a Secret in its data, over values of the same keys', async (scope) => {
    const name = scope.name('string-data');
    const path = scope.core('secrets', name);
    const created = await create(scope, scope.core('secrets'), {
      ...secret(name, { a: base64('old'), b: base64('kept') }),
      stringData: { a: 'new', c: 'ä' },
    });
    expect(created.data).toEqual({ a: base64('new'), b: base64('kept'), c: base64('ä') });
    expect(created['stringData']).toBeUndefined();
    const patched = await scope.api.patch(path, 'merge', { stringData: { b: 'changed' } });
    expect(patched.body.data).toEqual({ a: base64('new'), b: base64('changed'), c: base64('ä') });
    expect((await scope.api.get(path)).body['stringData']).toBeUndefined();
  });

  rule('refuses data of a Secret that is not base64 with 400', async (scope) => {
    const name = scope.name('base64');
    const answer = await scope.api.post(scope.core('secrets'), secret(name, { a: 'not base64!' }));
    expectRefusal(answer, 400, 'BadRequest');
    expect(answer.body.message).toContain('illegal base64 data');
  });

  rule('gives a Secret the type Opaque, and keeps the type for good', async (scope) => {
    const name = scope.name('type');
    const path = scope.core('secrets', name);
    const created = await create(scope, scope.core('secrets'), secret(name, { a: base64('1') }));
    expect(created).toMatchObject({ type: 'Opaque' });
    const changed = await scope.api.patch(path, 'merge', { type: 'example.com/other' });
    expectInvalid(changed, 'type');
    expect(changed.body.message).toContain('field is immutable');
    expect(await scope.api.put(path, secret(name, { a: base64('2') }))).toMatchObject({
      status: 200,
      body: { type: 'Opaque', data: { a: base64('2') } },
    });
  });

  rule('requires the keys that the type of a Secret stands for', async (scope) => {
    const attempt = (type: string, data: Record<string, string>) => attemptTyped(scope, type, data);
    const pair = { 'tls.crt': base64('certificate'), 'tls.key': base64('key') };
    expect(await attempt('kubernetes.io/tls', pair)).toMatchObject({ status: 201 });
    expectInvalid(await attempt('kubernetes.io/tls', {}), 'data[tls.crt]', 'data[tls.key]');
    expectInvalid(await attempt('kubernetes.io/dockerconfigjson', {}), 'data[.dockerconfigjson]');
    expectInvalid(await attempt('kubernetes.io/ssh-auth', {}), 'data[ssh-privatekey]');
    expectInvalid(await attempt('kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }), 'data[ssh-privatekey]');
  });

  rule('requires the user name or the password in a Secret for basic authentication', async (scope) => {
    const type = 'kubernetes.io/basic-auth';
    expectInvalid(await attemptTyped(scope, type, {}), 'data[username]', 'data[password]');
    for (const key of ['username', 'password'])
      expect(await attemptTyped(scope, type, { [key]: '' })).toMatchObject({ status: 201 });
  });

  rule('accepts only JSON as the configuration of Docker in a Secret', async (scope) => {
    for (const [type, key] of [
      ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
      ['kubernetes.io/dockercfg', '.dockercfg'],
    ] as const) {
      const refused = await attemptTyped(scope, type, { [key]: base64('canary') });
      expectInvalid(refused, `data[${key}]`);
      expect(refused.body.message).not.toContain('canary');
      expectInvalid(await attemptTyped(scope, type, { [key]: base64('[]') }), `data[${key}]`);
      expect(await attemptTyped(scope, type, { [key]: base64('{}') })).toMatchObject({ status: 201 });
    }
  });

  rule('requires the name of the service account of a Secret with its token', async (scope) => {
    const type = 'kubernetes.io/service-account-token';
    const key = 'kubernetes.io/service-account.name';
    const attempt = (annotations?: Record<string, string>) => attemptTyped(scope, type, {}, annotations);
    for (const annotations of [undefined, { [key]: '' }])
      expectInvalid(await attempt(annotations), `metadata.annotations[${key}]`);
    expect(await attempt({ [key]: 'default' })).toMatchObject({ status: 201 });
  });

  rule('refuses changes of the data of an immutable Secret', async (scope) => {
    const name = scope.name('immutable');
    const path = scope.core('secrets', name);
    await create(scope, scope.core('secrets'), { ...secret(name, { a: base64('1') }), immutable: true });
    expectInvalid(await scope.api.patch(path, 'merge', { stringData: { a: '2' } }), 'data');
    expectInvalid(await scope.api.patch(path, 'merge', { immutable: false }), 'immutable');
    const same = await scope.api.patch(path, 'merge', { stringData: { a: '1' } });
    expect(same).toMatchObject({ status: 200, body: { data: { a: base64('1') } } });
  });
}
