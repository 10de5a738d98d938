import { objectsAt } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { bytes, int32, list, listMap, object, oneOf, string } from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { labelSelector } from '../meta/label-selector.js';
import { webhookOperations, scopes } from './rule-validation.js';
import { failurePolicies, matchPolicies, reinvocationPolicies, validateWebhooks } from './validation.js';

const group = 'admissionregistration.k8s.io';

const clientConfig = object(
  {
    url: string('https URL; exactly one of url and service is set.'),
    service: object(
      {
        namespace: string('Namespace of the service.'),
        name: string('Name of the service.'),
        path: string('Path of the requests.'),
        port: int32({ description: 'Port of the service.', default: 443 }),
      },
      { required: ['namespace', 'name'] },
    ),
    caBundle: bytes('PEM certificates that the server is checked with; default: those of the system.'),
  },
  'How the webhook is reached.',
);

/** The fields of a rule for the requests that a webhook or a policy matches. */
export const ruleFields = {
  operations: list(oneOf(webhookOperations), 'CREATE, UPDATE, DELETE, CONNECT or *.'),
  apiGroups: list(string(), 'Groups of the resources; * is all.'),
  apiVersions: list(string(), 'Versions of the resources; * is all.'),
  resources: list(string(), 'Plural names, with a subresource after a slash; * is all.'),
  scope: oneOf(scopes, { description: 'Cluster, Namespaced or *.', default: '*' }),
};

/** A CEL condition for requests. */
export const matchCondition = object(
  { name: string('Name of the condition.'), expression: string('CEL over object, oldObject and request.') },
  { required: ['name', 'expression'] },
);

const webhookFields: Record<string, Schema> = {
  name: string('Fully qualified name.'),
  clientConfig,
  rules: list(object(ruleFields), 'What the webhook is asked about.'),
  failurePolicy: oneOf(failurePolicies, {
    description: 'What follows when the webhook cannot be asked: Fail or Ignore.',
    default: 'Fail',
  }),
  matchPolicy: oneOf(matchPolicies, {
    description: 'Whether the rules mean other versions of a resource as well: Exact or Equivalent.',
    default: 'Equivalent',
  }),
  namespaceSelector: { ...labelSelector, description: 'Labels of the namespace.', default: {} },
  objectSelector: { ...labelSelector, description: 'Labels of the object, new or old.', default: {} },
  sideEffects: string('None or NoneOnDryRun.'),
  timeoutSeconds: int32({ description: 'How long an answer may take, 1 to 30 seconds.', default: 10 }),
  admissionReviewVersions: list(string(), 'Versions of AdmissionReview that the webhook understands.'),
  matchConditions: listMap(matchCondition, ['name'], 'All have to be true for the webhook to be asked.'),
};

const required = ['name', 'clientConfig', 'sideEffects', 'admissionReviewVersions'];

function configuration(kind: string, plural: string, fields: Record<string, Schema>): Resource {
  const webhook = object(fields, { required });
  return defineKind({
    group: group,
    kind,
    plural,
    namespaced: false,
    categories: ['api-extensions'],
    schema: object(
      { webhooks: listMap(webhook, ['name'], 'The webhooks, in the order in which they are called.') },
      'Webhooks that are asked before a write is stored.',
    ),
    columns: [
      nameColumn,
      column('Webhooks', 'How many webhooks it has.', (o) => objectsAt(o, 'webhooks').length, 'integer'),
      ageColumn,
    ],
    strategy: { generation: true, unconditionalUpdate: false, validate: validateWebhooks },
  });
}

/** admissionregistration.k8s.io/v1, as far as it is served: the webhook configurations. */
export const webhookConfigurationKinds: readonly Resource[] = [
  configuration('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', {
    ...webhookFields,
    reinvocationPolicy: oneOf(reinvocationPolicies, {
      description:
        'Whether the webhook is asked again when a later one changed the object: Never or IfNeeded.',
      default: 'Never',
    }),
  }),
  configuration('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', webhookFields),
];
