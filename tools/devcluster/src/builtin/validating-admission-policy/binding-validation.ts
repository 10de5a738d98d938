import { objectAt, textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import { checkPathSegment, checkSubdomain } from '../../registry/names.js';
import { duplicate, forbidden, invalid, notSupported, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { validateLabelSelector } from '../meta/label-selector.js';
import { checkMatchResources } from './match-resources.js';

/** The actions of a binding for a request that fails its policy. */
export const validationActions = ['Audit', 'Deny', 'Warn'];
const notFoundActions = ['Deny', 'Allow'];
const exclusive = 'name and selector are mutually exclusive';

/**
 * Returns the problems with a ValidatingAdmissionPolicyBinding. Source: kubernetes
 * pkg/apis/admissionregistration/validation.
 */
export function validateBinding(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  const name = textAt(spec, 'policyName');
  const wrong = name === '' ? undefined : checkSubdomain(name);
  return [
    ...(name === '' ? [required('spec.policyName')] : []),
    ...(wrong === undefined ? [] : [invalid('spec.policyName', name, wrong)]),
    ...(valueAt(spec, 'paramRef') === undefined ? [] : checkParamRef(objectAt(spec, 'paramRef'))),
    /* The API server misspells the field. */
    ...(valueAt(spec, 'matchResources') === undefined
      ? []
      : checkMatchResources(objectAt(spec, 'matchResources'), 'spec.matchResouces')),
    ...checkActions(textsAt(spec, 'validationActions'), 'spec.validationActions'),
  ];
}

function checkParamRef(ref: JsonObject): Cause[] {
  const path = 'spec.paramRef';
  const name = textAt(ref, 'name');
  const hasSelector = valueAt(ref, 'selector') !== undefined;
  const causes: Cause[] = [];
  if (name !== '') {
    const wrong = checkPathSegment(name);
    if (wrong !== undefined) causes.push(invalid(`${path}.name`, name, wrong));
    if (hasSelector) causes.push(forbidden(`${path}.name`, exclusive));
  }
  if (hasSelector) {
    causes.push(...validateLabelSelector(objectAt(ref, 'selector'), `${path}.selector`));
    if (name !== '') causes.push(forbidden(`${path}.selector`, exclusive));
  }
  if (name === '' && !hasSelector) causes.push(required(path, 'one of name or selector must be specified'));
  const action = textAt(ref, 'parameterNotFoundAction');
  if (action === '') causes.push(required(`${path}.parameterNotFoundAction`));
  else if (!notFoundActions.includes(action)) {
    causes.push(notSupported(`${path}.parameterNotFoundAction`, action, notFoundActions));
  }
  return causes;
}

function checkActions(actions: readonly string[], path: string): Cause[] {
  const causes = actions.flatMap((action, index) => [
    ...(validationActions.includes(action)
      ? []
      : [notSupported(`${path}[${String(index)}]`, action, validationActions)]),
    ...(actions.indexOf(action) < index ? [duplicate(`${path}[${String(index)}]`, action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    causes.push(invalid(path, actions, why));
  }
  if (actions.length === 0) causes.push(required(path, 'at least one validation action is required'));
  return causes;
}
