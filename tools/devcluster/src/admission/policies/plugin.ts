import { ApiError, forbidden } from '../../api/api-error.js';
import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../../api/cluster.js';
import type { Resource } from '../../registry/resource.js';
import { admissionRequest } from '../webhooks/review.js';
import { namespaceValue, type Inputs } from './activation.js';
import { authorizerOf } from './authorizer.js';
import { evaluatePolicy, type Denial } from './evaluate.js';
import { matchResource } from './match.js';
import { collectParams, paramResource } from './params.js';
import { boundPolicies, type Binding, type Policy } from './policy.js';

/** The kinds that configure policies are not subject to them. */
const excluded = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map(
  (plural) => `${plural}.admissionregistration.k8s.io`,
);

/** The status codes of the reasons that a validation may name; any other is 422. */
const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

/** Evaluates ValidatingAdmissionPolicies. Source: apiserver admission/plugin/policy/validating, dispatcher.go. */
export const admissionPolicies: AdmissionPlugin = {
  validate: (request, cluster) => {
    if (excluded.includes(request.resource.collection)) return;
    const refused: Refusal[] = [];
    for (const { policy, bindings } of boundPolicies(cluster.store)) {
      refused.push(...refusalsOf(cluster, policy, bindings, request));
    }
    const [first] = refused;
    if (first !== undefined) throw refusal(request, first);
  },
};

interface Refusal extends Denial {
  policy: string;
  /** Undefined when the policy itself cannot be evaluated. */
  binding: string | undefined;
}

function refusalsOf(
  cluster: Cluster,
  policy: Policy,
  bindings: readonly Binding[],
  request: AdmissionRequest,
): Refusal[] {
  const resource = matchResource(cluster, policy.match, request);
  if (resource === undefined) return [];
  const problem = (message: string, binding?: string): Refusal[] =>
    policy.ignoresFailure ? [] : [{ policy: policy.name, binding, message, reason: '' }];
  const kind = paramResource(cluster, policy);
  if (kind !== undefined && 'error' in kind) return problem(`failed to configure policy: ${kind.error}`);
  return bindings.flatMap((binding) => {
    if (binding.match !== undefined && matchResource(cluster, binding.match, request) === undefined)
      return [];
    const params = collectParams(cluster, kind, binding, request);
    if ('error' in params) return problem(`failed to configure binding: ${params.error}`, binding.name);
    if (params.length === 0) return [];
    const inputs = inputsOf(cluster, request, resource);
    return params.flatMap((one) => act(policy, binding, request, { ...inputs, params: one }));
  });
}

function inputsOf(cluster: Cluster, request: AdmissionRequest, resource: Resource): Omit<Inputs, 'params'> {
  const { namespace } = request;
  const found = namespace === '' ? undefined : cluster.store.get('namespaces', namespace)?.object;
  return {
    request: admissionRequest(request, resource, ''),
    namespace: found === undefined ? null : namespaceValue(found),
    authorizer: authorizerOf(cluster, request),
  };
}

/**
 * Evaluates a policy, and applies the actions of the binding to failed validations. `Audit` has no effect, because
 * there is no audit log.
 */
function act(policy: Policy, binding: Binding, request: AdmissionRequest, inputs: Inputs): Refusal[] {
  const { denials, annotationDenials } = evaluatePolicy(policy, inputs);
  const refusal = (denial: Denial): Refusal => ({ ...denial, policy: policy.name, binding: binding.name });
  if (binding.actions.includes('Warn')) {
    const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
    for (const { message } of denials) request.warn(`Validation failed for ${who}: ${message}`);
  }
  const denied = binding.actions.includes('Deny') ? denials : [];
  return [...denied, ...annotationDenials].map(refusal);
}

function refusal(
  { resource, name }: AdmissionRequest,
  { policy, binding, message, reason }: Refusal,
): ApiError {
  const who =
    binding === undefined
      ? `ValidatingAdmissionPolicy '${policy}'`
      : `ValidatingAdmissionPolicy '${policy}' with binding '${binding}'`;
  const text = `${who} denied request: ${message}`;
  const { message: whole, details } = forbidden({ group: resource.group, kind: resource.plural, name }, text);
  const known = reason === '' ? 'Invalid' : reason;
  return new ApiError(codes[known] ?? 422, known, whole, { ...details, causes: [{ message: text }] });
}
