import { expect } from 'expect';
import { parse, stringify } from 'yaml';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, create } from '../suite/reading.js';

/** Declares the cases about paths that do not exist and about content negotiation. */
export function negotiation(rule: Rule): void {
  paths(rule);
  mediaTypes(rule);
}

function paths(rule: Rule): void {
  rule('answers 404 for a group, version or path that it does not serve', async ({ api }) => {
    for (const path of [
      '/unknown-path',
      '/api/v9',
      '/apis/unknown.conformance.example',
      '/apis/unknown.conformance.example/v1',
      '/apis/unknown.conformance.example/v1/things',
      '/apis/apps/v9/deployments',
    ]) {
      expect([path, (await api.get(path)).status]).toEqual([path, 404]);
    }
  });

  rule('answers 404 with a Status for a resource that a served version does not have', async (scope) => {
    for (const path of ['/api/v1/unknowns', scope.core('unknowns'), scope.core('unknowns', 'one')]) {
      const answer = await scope.api.get(path);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        code: 404,
      });
    }
  });

  rule(
    'answers 404 for an unknown subresource and for a namespaced object without its namespace',
    async (scope) => {
      const name = scope.name('placed');
      await create(scope, scope.core('configmaps'), configMap(name));
      expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(200);
      expect((await scope.api.get(`${scope.core('configmaps', name)}/unknown`)).status).toBe(404);
      expect((await scope.api.get(`${scope.core('configmaps', name)}/status`)).status).toBe(404);
      expect((await scope.api.get(`/api/v1/configmaps/${name}`)).status).toBe(404);
    },
  );

  rule('answers 405 for a method that a path does not take', async (scope) => {
    const { api } = scope;
    const name = scope.name('method');
    const answers = [
      await api.put(scope.core('configmaps'), configMap(name)),
      await api.post(scope.core('configmaps', name), configMap(name)),
      await api.post('/api/v1/configmaps', configMap(name)),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(405);
      expect(body).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed', code: 405 });
    }
    expect((await api.get(scope.core('configmaps', name))).status).toBe(404);
  });
}

function mediaTypes(rule: Rule): void {
  rule('answers with JSON when the client takes anything', async (scope) => {
    const name = scope.name('any');
    await create(scope, scope.core('configmaps'), configMap(name));
    for (const accept of ['*/*', 'application/json', 'text/html,*/*;q=0.1']) {
      const answer = await scope.api.get(scope.core('configmaps', name), { accept });
      expect(accepted(answer)).toMatchObject({ kind: 'ConfigMap', metadata: { name } });
      expect(answer.headers['content-type']).toContain('application/json');
    }
  });

  rule('answers with YAML on request and prefers the media type of the highest weight', async (scope) => {
    const name = scope.name('yaml');
    await create(scope, scope.core('configmaps'), configMap(name, { text: 'a: b' }));
    for (const accept of ['application/yaml', 'application/json;q=0.1,application/yaml;q=0.9']) {
      const answer = await scope.api.get(scope.core('configmaps', name), { accept });
      expect(answer.headers['content-type']).toContain('application/yaml');
      expect(parse(answer.text)).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { text: 'a: b' },
      });
    }
  });

  rule('refuses media types that it cannot answer with', async (scope) => {
    const name = scope.name('html');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    const refused = await scope.api.get(path, { accept: 'text/html' });
    expect(refused.status).toBe(406);
    expect(refused.body).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
    expect(refused.body.message).toContain('application/json');
    const second = await scope.api.get(path, { accept: 'text/html, application/json' });
    expect(accepted(second).kind).toBe('ConfigMap');
  });

  rule('takes a range of all media types for a built-in kind, but none of one type', async (scope) => {
    const name = scope.name('range');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    for (const url of [path, scope.core('configmaps')]) {
      for (const accept of ['application/*', 'application/*;q=0.5, text/html']) {
        const refused = await scope.api.get(url, { accept });
        expect([accept, refused.status]).toEqual([accept, 406]);
        expect(refused.body).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
      }
      for (const accept of ['application/*, */*', 'application/*, application/json;q=0.1'])
        expect([accept, (await scope.api.get(url, { accept })).status]).toEqual([accept, 200]);
    }
  });

  rule('reads YAML and refuses bodies of a media type that it cannot read', async (scope) => {
    const name = scope.name('body');
    const text = stringify(configMap(name, { from: 'yaml' }));
    const refused = await scope.api.post(scope.core('configmaps'), text, { contentType: 'text/plain' });
    expect(refused.status).toBe(415);
    expect(refused.body).toMatchObject({ kind: 'Status', reason: 'UnsupportedMediaType', code: 415 });
    const taken = await scope.api.post(scope.core('configmaps'), text, { contentType: 'application/yaml' });
    expect(accepted(taken, 201).data).toEqual({ from: 'yaml' });
  });
}
