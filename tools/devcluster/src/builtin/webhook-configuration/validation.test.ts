import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../schema/types.js';
import { metadataOf, useCluster } from '../../testing/harness.js';
import { configurationsPath, rule, webhook } from '../../testing/webhooks.js';

const path = configurationsPath('MutatingWebhookConfiguration');
const server = { port: 1, caBundle: '' };
const api = useCluster();

function configuration(name: string, webhooks: JsonObject[]): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks,
  };
}

describe('a webhook configuration', () => {
  it('is stored with its defaults, a generation and owned fields', async () => {
    const service = { namespace: 'n', name: 's' };
    const { status, body } = await api.create(
      path,
      configuration('defaulted', [webhook(server, { name: 'a', clientConfig: { service } })]),
    );
    expect([status, body['webhooks']]).toEqual([
      201,
      [
        {
          name: 'a.test.dev',
          clientConfig: { service: { ...service, port: 443 } },
          rules: [rule({ scope: '*' })],
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          sideEffects: 'None',
          timeoutSeconds: 10,
          admissionReviewVersions: ['v1'],
          reinvocationPolicy: 'Never',
        },
      ],
    ]);
    expect(body['metadata']).toMatchObject({
      generation: 1,
      managedFields: [
        {
          fieldsV1: {
            'f:webhooks': { '.': {}, 'k:{"name":"a.test.dev"}': { 'f:rules': {}, 'f:failurePolicy': {} } },
          },
        },
      ],
    });
  });

  it('has a generation that grows, and columns', async () => {
    await api.create(
      path,
      configuration('changed', [
        webhook(server, { name: 'a', clientConfig: { url: 'https://127.0.0.1:1/a' } }),
      ]),
    );
    const caBundle = Buffer.from('pem').toString('base64');
    const applied = await api.apply(`${path}/changed`, 'ca', {
      ...configuration('changed', []),
      webhooks: [{ name: 'a.test.dev', clientConfig: { caBundle } }],
    });
    expect([applied.status, metadataOf(applied).generation]).toEqual([200, 2]);
    expect(applied.body).toMatchObject({
      webhooks: [{ clientConfig: { url: 'https://127.0.0.1:1/a', caBundle } }],
    });
    const table = await api.get(`${path}/changed`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    expect(table.body).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Webhooks' }, { name: 'Age' }],
      rows: [{ cells: ['changed', 1, expect.any(String)] }],
    });
  });

  it.each([
    [{ name: '' }, 'webhooks[0].name: Required value'],
    [
      { name: 'two.parts' },
      'webhooks[0].name: Invalid value: "two.parts": should be a domain with at least three segments separated by dots',
    ],
    [
      { sideEffects: null },
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    ],
    [
      { sideEffects: 'Some' },
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    [
      { timeoutSeconds: 31 },
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
    [
      { failurePolicy: 'Maybe' },
      'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
    ],
    [
      { reinvocationPolicy: 'Maybe' },
      'webhooks[0].reinvocationPolicy: Unsupported value: "Maybe": supported values: "IfNeeded", "Never"',
    ],
    [
      { admissionReviewVersions: [] },
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ],
    [
      { clientConfig: {} },
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ],
    [
      { clientConfig: { url: 'http://a/b' } },
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ],
    [
      { clientConfig: { service: { namespace: 'n', name: 's', path: 'x/y', port: 0 } } },
      `[webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive, webhooks[0].clientConfig.service.path: Invalid value: "x/y": must start with a '/', webhooks[0].clientConfig.service.path: Invalid value: "x/y": segment[0] may not be empty]`,
    ],
    [
      { rules: [rule({ operations: ['*', 'CREATE'] })] },
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
    ],
    [{ rules: [rule({ resources: [] })] }, 'webhooks[0].rules[0].resources: Required value'],
    [
      { rules: [rule({ resources: ['*', 'pods'] })] },
      `webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
    ],
    [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      "webhooks[0].namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      { matchConditions: [{ name: 'a', expression: '1 + 1' }] },
      'webhooks[0].matchConditions[0].expression: Invalid value: "1 + 1": must evaluate to bool',
    ],
    [
      { matchConditions: [{ name: '', expression: 'true' }] },
      'webhooks[0].matchConditions[0].name: Required value',
    ],
  ])('is refused with %j', async (fields, message) => {
    const { status, body } = await api.create(
      path,
      configuration('refused', [{ ...webhook(server, { name: 'a' }), ...fields }]),
    );
    expect([status, body['message']]).toEqual([
      422,
      `MutatingWebhookConfiguration.admissionregistration.k8s.io "refused" is invalid: ${message}`,
    ]);
  });

  it('is refused with the same name twice', async () => {
    const one = webhook(server, { name: 'a' });
    const { body } = await api.create(path, configuration('twice', [one, one]));
    expect(body['message']).toContain('webhooks[1].name: Duplicate value: "a.test.dev"');
  });
});
