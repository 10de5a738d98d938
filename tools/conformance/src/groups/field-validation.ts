import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { container, deployment, deployments } from '../suite/workloads.js';
import { causesOf, create, expectInvalid, expectRefusal } from '../suite/write.js';

const ignore = { fieldValidation: 'Ignore' };
const warn = { fieldValidation: 'Warn' };
const strict = { fieldValidation: 'Strict' };
const yamlType = { contentType: 'application/yaml' };

/** Returns the JSON of a ConfigMap with a duplicate key in its data. */
const repeatedJson = (name: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"k":"first","k":"last"}}`;

const repeatedYaml = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  k: first\n  k: last\n`;

/** Returns a Deployment with unknown fields at several depths. */
function misspelled(name: string): object {
  const { spec, ...rest } = deployment(name, {
    containers: [container('app', { imagePolicy: 'Never' })],
  }) as {
    spec: object;
  };
  return { ...rest, spec: { ...spec, replica: 2 } };
}

const unknownFields = [
  'unknown field "spec.replica"',
  'unknown field "spec.template.spec.containers[0].imagePolicy"',
];

export const fieldValidation = defineGroup(
  'field-validation',
  { source: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation' },
  (rule) => {
    rule('drops unknown fields with a warning for each by default', async (scope) => {
      const name = scope.name('default');
      const answer = await scope.api.post(deployments(scope.namespace), misspelled(name));
      scope.deleteAfterwards(`${deployments(scope.namespace)}/${name}`);
      expect(answer.status).toBe(201);
      expect([...answer.warnings].sort()).toEqual(unknownFields);
      expect(answer.body.spec).not.toHaveProperty('replica');
    });

    rule('warns of unknown fields with Warn as by default', async (scope) => {
      const name = scope.name('warn');
      const object = { ...configMap(name), dat: {}, metadata: { name, label: {} } };
      const answer = await scope.api.post(scope.core('configmaps'), object, { query: warn });
      scope.deleteAfterwards(scope.core('configmaps', name));
      expect(answer.status).toBe(201);
      expect([...answer.warnings].sort()).toEqual(['unknown field "dat"', 'unknown field "metadata.label"']);
    });

    rule('refuses unknown fields with Strict and names each', async (scope) => {
      const name = scope.name('strict');
      const collection = deployments(scope.namespace);
      const answer = await scope.api.post(collection, misspelled(name), { query: strict });
      expectRefusal(answer, 400, 'BadRequest');
      expect(answer.body.message).toContain('strict decoding error');
      for (const text of unknownFields) expect(answer.body.message).toContain(text);
      expect((await scope.api.get(`${collection}/${name}`)).status).toBe(404);
      const valid = await create(scope, collection, deployment(name), { query: strict });
      expect(valid.metadata.name).toBe(name);
    });

    rule('drops unknown and repeated fields silently with Ignore', async (scope) => {
      const name = scope.name('ignore');
      const collection = scope.core('configmaps');
      const unknown = { ...configMap(`${name}-unknown`), dat: {} };
      for (const body of [unknown, repeatedJson(`${name}-json`)]) {
        const answer = await scope.api.post(collection, body, { query: ignore });
        scope.deleteAfterwards(`${collection}/${answer.body.metadata.name}`);
        expect(answer).toMatchObject({ status: 201, warnings: [] });
        expect(answer.body['dat']).toBeUndefined();
      }
      const yaml = await scope.api.post(collection, repeatedYaml(name), { ...yamlType, query: ignore });
      scope.deleteAfterwards(`${collection}/${name}`);
      expect(yaml).toMatchObject({ status: 201, warnings: [] });
    });

    rule('takes the last of repeated JSON fields with a warning by default', async (scope) => {
      const name = scope.name('repeated');
      const answer = await scope.api.post(scope.core('configmaps'), repeatedJson(name));
      scope.deleteAfterwards(scope.core('configmaps', name));
      expect(answer).toMatchObject({
        status: 201,
        body: { data: { k: 'last' } },
        warnings: ['duplicate field "data.k"'],
      });
    });

    rule('refuses repeated JSON fields with Strict and names where they are', async (scope) => {
      const name = scope.name('repeated');
      const json = JSON.stringify(deployment(name)).replace(
        '"image":',
        '"image":"first","imagePullPolicy":"Never","imagePullPolicy":"Always","image":',
      );
      const answer = await scope.api.post(deployments(scope.namespace), json, { query: strict });
      expectRefusal(answer, 400, 'BadRequest');
      const app = 'spec.template.spec.containers[0]';
      expect(answer.body.message).toContain('strict decoding error');
      expect(answer.body.message).toContain(`duplicate field "${app}.image"`);
      expect(answer.body.message).toContain(`duplicate field "${app}.imagePullPolicy"`);
    });

    rule('warns of unknown and repeated fields of YAML by default', async (scope) => {
      const name = scope.name('yaml');
      const body = `${repeatedYaml(name)}unknown: x\n`;
      const answer = await scope.api.post(scope.core('configmaps'), body, yamlType);
      scope.deleteAfterwards(scope.core('configmaps', name));
      expect(answer).toMatchObject({ status: 201, body: { data: { k: 'last' } } });
      expect(answer.warnings).toHaveLength(2);
      expect(answer.warnings).toContain('unknown field "unknown"');
      expect(answer.warnings).toContainEqual(expect.stringContaining('line 7: key "k" already set in map'));
    });

    rule('refuses unknown and repeated fields of YAML with Strict', async (scope) => {
      const name = scope.name('yaml');
      const body = `${repeatedYaml(name)}unknown: x\n`;
      const answer = await scope.api.post(scope.core('configmaps'), body, { ...yamlType, query: strict });
      expectRefusal(answer, 400, 'BadRequest');
      expect(answer.body.message).toContain('key "k" already set in map');
      expect(answer.body.message).toContain('unknown field "unknown"');
      expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
    });

    rule('validates the fields of an update', async (scope) => {
      const name = scope.name('update');
      const path = scope.core('configmaps', name);
      await create(scope, scope.core('configmaps'), configMap(name));
      const object = { ...configMap(name, { a: '1' }), dat: {} };
      expectRefusal(await scope.api.put(path, object, { query: strict }), 400, 'BadRequest');
      expect(await scope.api.put(path, object)).toMatchObject({
        status: 200,
        warnings: ['unknown field "dat"'],
        body: { data: { a: '1' } },
      });
    });

    rule('validates the fields of the object that a patch makes', async (scope) => {
      const name = scope.name('patch');
      const path = scope.core('configmaps', name);
      await create(scope, scope.core('configmaps'), configMap(name));
      const patches = [
        ['json', [{ op: 'add', path: '/dat', value: {} }]],
        ['merge', { dat: {} }],
        ['strategic', { dat: {} }],
      ] as const;
      for (const [type, patch] of patches) {
        const refused = await scope.api.patch(path, type, patch, { query: strict });
        expectInvalid(refused, 'patch');
        expect(causesOf(refused)[0]?.message).toContain('unknown field "dat"');
        const warned = await scope.api.patch(path, type, patch);
        expect(warned).toMatchObject({ status: 200, warnings: ['unknown field "dat"'] });
        const ignored = await scope.api.patch(path, type, patch, { query: ignore });
        expect(ignored).toMatchObject({ status: 200, warnings: [] });
      }
    });

    rule('validates the fields that a patch repeats', async (scope) => {
      const name = scope.name('repeats');
      const path = scope.core('configmaps', name);
      await create(scope, scope.core('configmaps'), configMap(name));
      const patch = '{"data":{"k":"first","k":"last"}}';
      for (const type of ['merge', 'strategic'] as const) {
        const refused = await scope.api.patch(path, type, patch, { query: strict });
        expectRefusal(refused, 422, 'Invalid');
        expect(refused.body.message).toContain('duplicate field "data.k"');
        const warned = await scope.api.patch(path, type, patch);
        expect(warned).toMatchObject({ status: 200, warnings: ['duplicate field "data.k"'] });
        expect(warned.body.data).toEqual({ k: 'last' });
      }
    });

    rule('validates the fields that an applied configuration repeats', async (scope) => {
      const name = scope.name('apply');
      const path = scope.core('configmaps', name);
      const refused = await scope.api.apply(path, 'one', repeatedYaml(name), { query: strict });
      expectRefusal(refused, 400, 'BadRequest');
      expect(refused.body.message).toContain('key "k" already set in map');
      expect((await scope.api.get(path)).status).toBe(404);
      const warned = await scope.api.apply(path, 'one', repeatedYaml(name));
      scope.deleteAfterwards(path);
      expect(warned).toMatchObject({ status: 201, body: { data: { k: 'last' } } });
      expect(warned.warnings).toEqual([expect.stringContaining('key "k" already set in map')]);
    });

    rule('refuses another value of fieldValidation with 422', async (scope) => {
      const name = scope.name('value');
      const query = { fieldValidation: 'Loose' };
      const answer = await scope.api.post(scope.core('configmaps'), configMap(name), { query });
      expectInvalid(answer, 'fieldValidation');
      await create(scope, scope.core('configmaps'), configMap(name));
      const patch = { data: { a: '1' } };
      expectInvalid(
        await scope.api.patch(scope.core('configmaps', name), 'merge', patch, { query }),
        'fieldValidation',
      );
    });
  },
);
