import { expect } from 'expect';
import type { Answer } from './api.js';
import { eventually } from './callers.js';
import { configMap } from './objects.js';
import type { Scope } from './scope.js';
import { create } from './write.js';

const group = '/apis/admissionregistration.k8s.io/v1';
const apiVersion = 'admissionregistration.k8s.io/v1';
const label = 'conformance.interlock.dev/policy';

/** Returns the path of the policies, or of one of them. */
export function policiesPath(name?: string): string {
  return `${group}/validatingadmissionpolicies${name === undefined ? '' : `/${name}`}`;
}

/** Returns the path of the bindings, or of one of them. */
export function bindingsPath(name?: string): string {
  return `${group}/validatingadmissionpolicybindings${name === undefined ? '' : `/${name}`}`;
}

/** Returns a rule for writes of ConfigMaps, with other fields in place of the usual ones. */
export function policyRule(fields: object = {}): object {
  return {
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
    ...fields,
  };
}

/** Returns a policy to create, with other fields of its spec in place of the usual ones. */
export function policy(name: string, spec: object = {}): object {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [policyRule()] },
      validations: [{ expression: 'true' }],
      ...spec,
    },
  };
}

/** Returns a binding to create, with other fields of its spec in place of the usual ones. */
export function policyBinding(name: string, spec: object): object {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { validationActions: ['Deny'], ...spec },
  };
}

/** The policy that the server enforces for a case. */
interface Enforced {
  validations: readonly object[];
  /** Further fields of the policy. */
  spec?: object;
  /** Fields of the constraints, in place of the usual ones. */
  match?: object;
  /** Fields of the binding. */
  binding?: object;
}

/** A policy that is in force for the objects of a case. */
export interface Policy {
  name: string;
  bindingName: string;
  /** Selects an object for the policy. */
  labels: Readonly<Record<string, string>>;
  /** Returns a ConfigMap that the policy matches. */
  object(name: string, data?: Readonly<Record<string, string>>): object;
  /** Tries to create a ConfigMap that the policy matches. */
  write(data?: Readonly<Record<string, string>>): Promise<Answer>;
}

/**
 * Creates a policy with a binding that select the objects with the label of the case, and waits until they are in
 * force: until the server refuses an object that fails a validation.
 */
export async function enforce(
  scope: Scope,
  { validations, spec, match, binding }: Enforced,
): Promise<Policy> {
  const [name, bindingName, probe] = [scope.name('policy'), scope.name('binding'), scope.name('probe')];
  const labels = { [label]: name };
  const inForce = { expression: `!has(request.name) || request.name != '${probe}'`, message: probe };
  const matchConstraints = {
    resourceRules: [policyRule()],
    objectSelector: { matchLabels: labels },
    ...match,
  };
  const all = [inForce, ...validations];
  await create(scope, policiesPath(), policy(name, { matchConstraints, ...spec, validations: all }));
  await create(scope, bindingsPath(), policyBinding(bindingName, { policyName: name, ...binding }));
  const object: Policy['object'] = (of, data = {}) => configMap(of, data, { labels });
  const query = { dryRun: 'All' };
  await eventually(
    () => scope.api.post(scope.core('configmaps'), object(probe), { query }),
    ({ text }) =>
      text.includes(`denied request: ${probe}`) || text.includes('failed to configure binding: no params'),
  );
  return {
    name,
    bindingName,
    labels,
    object,
    write: (data) => scope.api.post(scope.core('configmaps'), object(scope.name('object'), data), { query }),
  };
}

/** Expects the refusal of a ConfigMap by a policy. */
export function expectDenied(
  answer: Answer,
  { name, bindingName }: Policy,
  message: string,
  { code = 422, reason = 'Invalid' } = {},
): void {
  const text = `ValidatingAdmissionPolicy '${name}' with binding '${bindingName}' denied request: ${message}`;
  expect(answer).toMatchObject({
    status: code,
    body: { kind: 'Status', status: 'Failure', code, reason, details: { causes: [{ message: text }] } },
  });
  expect(answer.body.message).toContain(` is forbidden: ${text}`);
}
