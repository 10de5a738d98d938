import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

const mebibyte = 1024 * 1024;

/**
 * Declares the rules about the bodies of requests. Source:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
 */
export function bodyRules(rule: Rule): void {
  rule('refuses an object of another kind than that of the path', async (scope) => {
    const object = { ...configMap(scope.name('kind')), kind: 'Secret' };
    const answer = await scope.api.post(scope.core('configmaps'), object);
    expectRefusal(answer, 400, 'BadRequest');
    expect(answer.body.message).toContain('Secret in version "v1" cannot be handled as a ConfigMap');
  });

  rule('refuses an object of another apiVersion than that of the path', async (scope) => {
    const object = { ...configMap(scope.name('version')), apiVersion: 'v2' };
    expectRefusal(await scope.api.post(scope.core('configmaps'), object), 400, 'BadRequest');
  });

  rule('fills in kind and apiVersion that a body of a built-in kind leaves out', async (scope) => {
    const name = scope.name('bare');
    const created = await create(scope, scope.core('configmaps'), { metadata: { name } });
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } });
  });

  rule('refuses a body that is not JSON with 400 BadRequest', async (scope) => {
    for (const text of ['{"apiVersion":', 'ConfigMap', '{"kind" "ConfigMap"}', '[]']) {
      expectRefusal(await scope.api.post(scope.core('configmaps'), text), 400, 'BadRequest');
    }
  });

  rule('refuses a value of the wrong type with 400 BadRequest', async (scope) => {
    const name = scope.name('typed');
    for (const wrong of [{ data: 'text' }, { data: { a: 1 } }, { immutable: 'yes' }]) {
      const answer = await scope.api.post(scope.core('configmaps'), { ...configMap(name), ...wrong });
      expectRefusal(answer, 400, 'BadRequest');
      expect(answer.body.message).toContain('ConfigMap in version "v1" cannot be handled as a ConfigMap');
    }
    await create(scope, scope.core('configmaps'), { ...configMap(name), immutable: false });
  });

  rule('creates and updates objects from YAML', async (scope) => {
    const name = scope.name('yaml');
    const yaml = (value: string): string =>
      `# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  text: |\n    ${value}\n    line 2\n`;
    const options = { contentType: 'application/yaml' };
    const created = await scope.api.post(scope.core('configmaps'), yaml('one'), options);
    scope.deleteAfterwards(scope.core('configmaps', name));
    expect(created).toMatchObject({ status: 201, body: { data: { text: 'one\nline 2\n' } } });
    const updated = await scope.api.put(scope.core('configmaps', name), yaml('two'), options);
    expect(updated).toMatchObject({ status: 200, body: { data: { text: 'two\nline 2\n' } } });
  });

  rule('refuses malformed YAML with 400 BadRequest', async (scope) => {
    const answer = await scope.api.post(scope.core('configmaps'), 'kind: ConfigMap\n  name: [', {
      contentType: 'application/yaml',
    });
    expectRefusal(answer, 400, 'BadRequest');
  });

  rule('refuses a body of an unknown media type with 415', async (scope) => {
    const name = scope.name('media');
    for (const contentType of ['text/plain', 'application/xml']) {
      const answer = await scope.api.post(scope.core('configmaps'), configMap(name), { contentType });
      expectRefusal(answer, 415, 'UnsupportedMediaType');
    }
    const charset = { contentType: 'application/json; charset=utf-8' };
    await create(scope, scope.core('configmaps'), configMap(name), charset);
  });

  rule('refuses a body beyond its limit of 3 MiB with 413', async (scope) => {
    const name = scope.name('large');
    const answer = await scope.api.post(
      scope.core('configmaps'),
      configMap(name, { large: 'x'.repeat(3 * mebibyte) }),
    );
    expectRefusal(answer, 413, 'RequestEntityTooLarge');
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });

  rule('refuses a ConfigMap with more than 1 MiB of data', async (scope) => {
    const attempt = (bytes: number) =>
      scope.api.post(scope.core('configmaps'), configMap(scope.name('data'), { a: 'x'.repeat(bytes) }), {
        query: { dryRun: 'All' },
      });
    expect(await attempt(mebibyte - 10)).toMatchObject({ status: 201 });
    const tooLong = await attempt(mebibyte + 1);
    expectInvalid(tooLong);
    expect(tooLong.body.details?.causes).toMatchObject([{ reason: 'FieldValueTooLong' }]);
  });
}
