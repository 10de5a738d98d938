import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import type { Scope } from '../../suite/scope.js';
import {
  configuration,
  configurationsPath,
  hookName,
  inNamespace,
  webhookRule,
  type ConfigurationKind,
} from '../../suite/webhooks.js';

const kinds: readonly ConfigurationKind[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
];

/** Returns a webhook whose rules match no request. */
function idle(scope: Scope, fields: object = {}): object {
  return {
    name: hookName('idle'),
    clientConfig: { service: { namespace: scope.namespace, name: 'nobody' } },
    rules: [webhookRule()],
    namespaceSelector: inNamespace('nowhere-at-all'),
    objectSelector: { matchLabels: { 'conformance.interlock.dev/case': 'none' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  };
}

/** Checks for both kinds that webhooks are refused because of a field, and accepted when the field is valid. */
async function check(
  scope: Scope,
  faults: readonly [field: string, reason: string, fields: object][],
): Promise<void> {
  for (const kind of kinds) {
    const create = (fields?: object) => {
      const object = configuration(kind, scope.name('hooks'), [idle(scope, fields)]);
      return scope.api.post(configurationsPath(kind), object, { query: { dryRun: 'All' } });
    };
    for (const [field, reason, fields] of faults) {
      expectInvalid(await create(fields), { [`webhooks[0].${field}`]: reason });
    }
    expect((await create()).status).toBe(201);
  }
}

/** Declares the rules about the fields of webhook configurations. */
export function configurationRules(rule: Rule): void {
  rule('fills in the defaults of a webhook, and counts generations of a configuration', async (scope) => {
    for (const kind of kinds) {
      const name = scope.name('hooks');
      const path = configurationsPath(kind, name);
      scope.deleteAfterwards(path);
      const object = configuration(kind, name, [idle(scope)]);
      const created = await scope.api.post(configurationsPath(kind), object);
      expect(created.status).toBe(201);
      expect(created.body.metadata.generation).toBe(1);
      expect(created.body['webhooks']).toMatchObject([
        {
          clientConfig: { service: { port: 443 } },
          rules: [{ scope: '*' }],
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          timeoutSeconds: 10,
          ...(kind === 'MutatingWebhookConfiguration' && { reinvocationPolicy: 'Never' }),
        },
      ]);
      const change = { webhooks: [idle(scope, { failurePolicy: 'Ignore' })] };
      const changed = await scope.api.patch(path, 'merge', change);
      expect(changed.status).toBe(200);
      expect(changed.body.metadata.generation).toBe(2);
    }
  });

  rule('requires sideEffects None or NoneOnDryRun of a webhook', (scope) =>
    check(scope, [
      ['sideEffects', 'FieldValueRequired', { sideEffects: undefined }],
      ['sideEffects', 'FieldValueNotSupported', { sideEffects: 'Some' }],
      ['sideEffects', 'FieldValueNotSupported', { sideEffects: 'Unknown' }],
    ]),
  );

  rule('requires a version of AdmissionReview that the server knows', (scope) =>
    check(scope, [
      ['admissionReviewVersions', 'FieldValueRequired', { admissionReviewVersions: [] }],
      ['admissionReviewVersions', 'FieldValueInvalid', { admissionReviewVersions: ['v9'] }],
      ['admissionReviewVersions[1]', 'FieldValueInvalid', { admissionReviewVersions: ['v1', 'v1'] }],
    ]),
  );

  rule('requires a fully qualified name of a webhook', (scope) =>
    check(scope, [
      ['name', 'FieldValueRequired', { name: '' }],
      ['name', 'FieldValueInvalid', { name: 'short' }],
      ['name', 'FieldValueInvalid', { name: 'two.parts' }],
      ['name', 'FieldValueInvalid', { name: 'Upper.example.dev' }],
    ]),
  );

  rule('requires different names of the webhooks of a configuration', async (scope) => {
    for (const kind of kinds) {
      const create = (...names: string[]) =>
        scope.api.post(
          configurationsPath(kind),
          configuration(
            kind,
            scope.name('hooks'),
            names.map((name) => idle(scope, { name: hookName(name) })),
          ),
          { query: { dryRun: 'All' } },
        );
      expectInvalid(await create('one', 'one'), { 'webhooks[1].name': 'FieldValueDuplicate' });
      expect((await create('one', 'two')).status).toBe(201);
    }
  });

  rule('takes timeouts of a webhook from 1 to 30 seconds', async (scope) => {
    await check(scope, [
      ['timeoutSeconds', 'FieldValueInvalid', { timeoutSeconds: 0 }],
      ['timeoutSeconds', 'FieldValueInvalid', { timeoutSeconds: 31 }],
    ]);
    for (const timeoutSeconds of [1, 30]) {
      const [kind] = kinds as [ConfigurationKind];
      const object = configuration(kind, scope.name('hooks'), [idle(scope, { timeoutSeconds })]);
      const query = { dryRun: 'All' };
      expect((await scope.api.post(configurationsPath(kind), object, { query })).status).toBe(201);
    }
  });

  rule('takes the documented failure policies and match policies', (scope) =>
    check(scope, [
      ['failurePolicy', 'FieldValueNotSupported', { failurePolicy: 'Retry' }],
      ['matchPolicy', 'FieldValueNotSupported', { matchPolicy: 'Similar' }],
    ]),
  );

  rule('takes the documented reinvocation policies of a mutating webhook', async (scope) => {
    const kind = 'MutatingWebhookConfiguration';
    const create = (reinvocationPolicy: string) => {
      const object = configuration(kind, scope.name('hooks'), [idle(scope, { reinvocationPolicy })]);
      return scope.api.post(configurationsPath(kind), object, { query: { dryRun: 'All' } });
    };
    expectInvalid(await create('Always'), { 'webhooks[0].reinvocationPolicy': 'FieldValueNotSupported' });
    expect((await create('IfNeeded')).status).toBe(201);
  });

  rule('requires either a URL with https or a Service of a webhook', (scope) =>
    check(scope, [
      ['clientConfig', 'FieldValueRequired', { clientConfig: {} }],
      [
        'clientConfig',
        'FieldValueRequired',
        { clientConfig: { url: 'https://a.example.dev', service: { namespace: 'a', name: 'b' } } },
      ],
      ['clientConfig.url', 'FieldValueInvalid', { clientConfig: { url: 'http://a.example.dev' } }],
      ['clientConfig.url', 'FieldValueInvalid', { clientConfig: { url: 'https://user@a.example.dev' } }],
      ['clientConfig.url', 'FieldValueInvalid', { clientConfig: { url: 'https://a.example.dev/?q=1' } }],
      [
        'clientConfig.service.port',
        'FieldValueInvalid',
        { clientConfig: { service: { namespace: 'a', name: 'b', port: 0 } } },
      ],
      [
        'clientConfig.service.path',
        'FieldValueInvalid',
        { clientConfig: { service: { namespace: 'a', name: 'b', path: 'relative' } } },
      ],
    ]),
  );

  rule('checks operations, groups, versions, resources and scope of the rules of a webhook', (scope) => {
    const faulty = (fields: object) => ({ rules: [webhookRule(fields)] });
    return check(scope, [
      ['rules[0].operations', 'FieldValueRequired', faulty({ operations: [] })],
      ['rules[0].operations[0]', 'FieldValueNotSupported', faulty({ operations: ['READ'] })],
      ['rules[0].operations', 'FieldValueInvalid', faulty({ operations: ['*', 'CREATE'] })],
      ['rules[0].apiGroups', 'FieldValueRequired', faulty({ apiGroups: [] })],
      ['rules[0].apiVersions', 'FieldValueInvalid', faulty({ apiVersions: ['*', 'v1'] })],
      ['rules[0].resources', 'FieldValueRequired', faulty({ resources: [] })],
      ['rules[0].resources', 'FieldValueInvalid', faulty({ resources: ['*/*', 'pods'] })],
      ['rules[0].scope', 'FieldValueNotSupported', faulty({ scope: 'World' })],
    ]);
  });

  rule('compiles matchConditions, and requires their names to differ', (scope) => {
    const conditions = (...matchConditions: object[]) => ({ matchConditions });
    return check(scope, [
      [
        'matchConditions[0].expression',
        'FieldValueInvalid',
        conditions({ name: 'a', expression: 'object.' }),
      ],
      ['matchConditions[0].expression', 'FieldValueInvalid', conditions({ name: 'a', expression: '"text"' })],
      ['matchConditions[0].expression', 'FieldValueRequired', conditions({ name: 'a', expression: '' })],
      ['matchConditions[0].name', 'FieldValueRequired', conditions({ name: '', expression: 'true' })],
      [
        'matchConditions[1].name',
        'FieldValueDuplicate',
        conditions({ name: 'a', expression: 'true' }, { name: 'a', expression: 'false' }),
      ],
    ]);
  });
}
