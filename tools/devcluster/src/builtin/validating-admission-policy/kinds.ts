import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { atomic, int64, list, listMap, object, oneOf, setList, string } from '../../schema/dsl.js';
import { validateBinding, validationActions } from './binding-validation.js';
import { validatePolicy } from './policy-validation.js';
import { condition } from '../meta/condition.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { matchResources } from './match-resources.js';
import { labelSelector } from '../meta/label-selector.js';
import { matchCondition } from '../webhook-configuration/kinds.js';
import { failurePolicies } from '../webhook-configuration/validation.js';

const group = 'admissionregistration.k8s.io';
const unset = '<unset>';

const spec = object(
  {
    paramKind: {
      ...atomic(object({ apiVersion: string('Group and version.'), kind: string('Kind.') })),
      description: 'Kind of the parameters; a binding names the objects.',
    },
    matchConstraints: matchResources('What the policy is about.'),
    validations: list(
      object(
        {
          expression: string('CEL that has to be true.'),
          message: string('Why a request is refused.'),
          reason: string('Reason of the refusal; default: Invalid.'),
          messageExpression: string('CEL that makes the message.'),
        },
        { required: ['expression'] },
      ),
      'What has to hold.',
    ),
    failurePolicy: oneOf(failurePolicies, {
      description: 'What follows when the policy cannot be evaluated: Fail or Ignore.',
      default: 'Fail',
    }),
    auditAnnotations: list(
      object(
        { key: string('Key of the annotation.'), valueExpression: string('CEL that makes its value.') },
        { required: ['key', 'valueExpression'] },
      ),
      'What is added to the audit event of a request.',
    ),
    matchConditions: listMap(matchCondition, ['name'], 'All have to be true for the policy to be evaluated.'),
    variables: listMap(
      object(
        {
          name: string('Name of the variable.'),
          expression: string('CEL, evaluated when it is first used.'),
        },
        { required: ['name', 'expression'] },
      ),
      ['name'],
      'Values that expressions use as variables.<name>; a variable can use those before it.',
    ),
  },
  { description: 'What the policy validates.', default: {} },
);

const status = object(
  {
    observedGeneration: int64('Generation that was checked.'),
    typeChecking: object(
      {
        expressionWarnings: list(
          object(
            {
              fieldRef: string('Field of the expression.'),
              warning: string('What is wrong with its types.'),
            },
            { required: ['fieldRef', 'warning'] },
          ),
          'Expressions that do not fit the types of the resources.',
        ),
      },
      'How the expressions fit the types of the resources.',
    ),
    conditions: listMap(condition(), ['type'], 'State in detail.'),
  },
  { description: 'What was found in the policy.', default: {} },
);

function paramKindText(o: KubeObject): string {
  const kind = objectAt(o, 'spec', 'paramKind');
  return valueAt(o, 'spec', 'paramKind') === undefined
    ? unset
    : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
}

const policy = defineKind({
  group,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
  categories: ['api-extensions'],
  schema: object({ spec, status }, 'Validates writes with CEL, where bindings put it into force.'),
  columns: [
    nameColumn,
    column(
      'Validations',
      'How many validations it has.',
      (o) => objectsAt(o, 'spec', 'validations').length,
      'integer',
    ),
    column('ParamKind', 'Kind of its parameters.', paramKindText),
    ageColumn,
  ],
  strategy: {
    generation: true,
    status: true,
    unconditionalUpdate: false,
    prepareCreate: (o) => {
      o['status'] = {};
    },
    validate: validatePolicy,
  },
});

const bindingSpec = object(
  {
    policyName: string('Name of the policy.'),
    paramRef: {
      ...atomic(
        object({
          name: string('Name of the parameter object.'),
          namespace: string('Namespace of the parameter objects; default: that of the request.'),
          selector: labelSelector,
          parameterNotFoundAction: string('What follows without parameter objects: Allow or Deny.'),
        }),
      ),
      description: 'The parameters of the policy: one object by name, or all that a selector selects.',
    },
    matchResources: matchResources('Narrows what the policy is about.'),
    validationActions: setList(oneOf(validationActions), 'What follows when the policy does not hold.'),
  },
  { description: 'Where and how the policy is in force.', default: {} },
);

function paramRefText(o: KubeObject): string {
  const ref = objectAt(o, 'spec', 'paramRef');
  const name = textAt(ref, 'name');
  if (name !== '') return `${textAt(ref, 'namespace') || '*'}/${name}`;
  if (valueAt(ref, 'selector') === undefined) return unset;
  const labels = Object.entries(objectAt(ref, 'selector', 'matchLabels'));
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${String(value)},`).join('')}},MatchExpressions:[]LabelSelectorRequirement{},}`;
}

const binding = defineKind({
  group,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
  categories: ['api-extensions'],
  schema: object({ spec: bindingSpec }, 'Puts a ValidatingAdmissionPolicy into force.'),
  columns: [
    nameColumn,
    column('PolicyName', 'Name of the policy.', (o) => textAt(o, 'spec', 'policyName')),
    column('ParamRef', 'The parameters of the policy.', paramRefText),
    ageColumn,
  ],
  strategy: { generation: true, unconditionalUpdate: false, validate: validateBinding },
});

/** admissionregistration.k8s.io/v1: policies in CEL and their bindings. */
export const admissionPolicyKinds: readonly Resource[] = [policy, binding];
