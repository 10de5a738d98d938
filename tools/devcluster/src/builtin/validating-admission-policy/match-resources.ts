import { objectAt, objectsAt, textAt, textsAt, valueAt } from '../../object.js';
import { checkPathSegment } from '../../registry/names.js';
import { atomic, list, object, oneOf, string } from '../../schema/dsl.js';
import { duplicate, invalid, notSupported } from '../../schema/field-error.js';
import type { Cause, JsonObject, Schema } from '../../schema/types.js';
import { labelSelector, validateLabelSelector } from '../meta/label-selector.js';
import { ruleFields } from '../webhook-configuration/kinds.js';
import { checkRule } from '../webhook-configuration/rule-validation.js';
import { matchPolicies } from '../webhook-configuration/validation.js';

const rules = (description: string): Schema =>
  list(
    atomic(object({ resourceNames: list(string(), 'Names of the objects; none: all.'), ...ruleFields })),
    description,
  );

/** Returns the schema of an admissionregistration.k8s.io/v1 MatchResources. */
export function matchResources(description: string): Schema {
  return {
    ...atomic(
      object({
        namespaceSelector: { ...labelSelector, description: 'Labels of the namespace.', default: {} },
        objectSelector: { ...labelSelector, description: 'Labels of the object, new or old.', default: {} },
        resourceRules: rules('Requests that it is about.'),
        excludeResourceRules: rules('Requests that it is not about, although a rule matches them.'),
        matchPolicy: oneOf(matchPolicies, {
          description: 'Whether the rules mean other versions of a resource as well: Exact or Equivalent.',
          default: 'Equivalent',
        }),
      }),
    ),
    description,
  };
}

/** Returns the problems with MatchResources. Source: kubernetes pkg/apis/admissionregistration/validation. */
export function checkMatchResources(match: JsonObject, path: string): Cause[] {
  const policy = valueAt(match, 'matchPolicy');
  return [
    ...(matchPolicies.includes(textAt(match, 'matchPolicy'))
      ? []
      : [notSupported(`${path}.matchPolicy`, policy, matchPolicies)]),
    ...validateLabelSelector(objectAt(match, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...validateLabelSelector(objectAt(match, 'objectSelector'), `${path}.objectSelector`),
    ...['resourceRules', 'excludeResourceRules'].flatMap((field) =>
      objectsAt(match, field).flatMap((rule, index) =>
        checkNamedRule(rule, `${path}.${field}[${String(index)}]`),
      ),
    ),
  ];
}

function checkNamedRule(rule: JsonObject, path: string): Cause[] {
  const names = textsAt(rule, 'resourceNames');
  const causes = names.flatMap((name, index) => {
    const place = `${path}.resourceNames[${String(index)}]`;
    const wrong = checkPathSegment(name);
    return [
      ...(wrong === undefined ? [] : [invalid(place, name, wrong)]),
      ...(names.indexOf(name) < index ? [duplicate(place, name)] : []),
    ];
  });
  return [...causes, ...checkRule(rule, path)];
}
