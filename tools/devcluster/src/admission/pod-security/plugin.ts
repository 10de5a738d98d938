import { forbidden, invalid } from '../../api/api-error.js';
import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../../api/cluster.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { Json } from '../../schema/types.js';
import type { PodTemplate } from './checks/check.js';
import { describeViolations, violationsOf } from './evaluate.js';
import { templateOf, warningsAboutPods } from './existing-pods.js';
import { formatLevel, isStricter, policyOf, type Policy } from './policy.js';

/** Subresources of pods that do not change what they run. */
const ignoredSubresources = [
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
];
/** The kinds that create pods from `spec.template`. */
const controllers = ['deployments.apps', 'replicasets.apps', 'jobs.batch'];

/**
 * Enforces the Pod Security Standards in the labels of namespaces. Workloads are not refused, because their pods are
 * refused later; they only cause warnings. Source: k8s.io/pod-security-admission.
 */
export function podSecurity(store: Cluster['store']): AdmissionPlugin {
  return {
    validate: (request) => {
      if (request.operation === 'DELETE' || request.object === undefined) return;
      const { collection } = request.resource;
      if (collection === 'namespaces') validateNamespace(store, request, request.object);
      else if (collection === 'pods') validatePod(store, request, request.object);
      else if (controllers.includes(collection) && request.subresource === undefined) {
        const template = objectAt(request.object, 'spec', 'template');
        evaluate(request, policyFor(store, request), {
          annotations: annotationsOf(template['metadata']),
          spec: objectAt(template, 'spec'),
        });
      }
    },
  };
}

function policyFor(store: Cluster['store'], { namespace }: AdmissionRequest): Policy {
  return policyOf(store.get('namespaces', namespace)?.object.metadata.labels ?? {}).policy;
}

function annotationsOf(metadata: Json | undefined): Record<string, string> {
  const annotations = objectAt({ metadata: metadata ?? null }, 'metadata', 'annotations');
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

function validatePod(store: Cluster['store'], request: AdmissionRequest, pod: KubeObject): void {
  const { resource, name, subresource = '', old } = request;
  if (ignoredSubresources.includes(subresource) || (old !== undefined && !isSignificant(pod, old))) return;
  const policy = policyFor(store, request);
  const violations = violationsOf(policy.enforce, templateOf(pod));
  if (violations.length > 0) {
    throw forbidden(
      { group: resource.group, kind: resource.plural, name },
      `violates PodSecurity "${formatLevel(policy.enforce)}": ${describeViolations(violations)}`,
    );
  }
  evaluate(request, policy, templateOf(pod));
}

function evaluate({ warn }: AdmissionRequest, policy: Policy, pod: PodTemplate): void {
  const violations = violationsOf(policy.warn, pod);
  if (violations.length === 0) return;
  warn(`would violate PodSecurity "${formatLevel(policy.warn)}": ${describeViolations(violations)}`);
}

/** Returns whether an update concerns the checks: of the mutable fields, only images and new containers do. */
function isSignificant(pod: KubeObject, old: KubeObject): boolean {
  const images = (object: KubeObject, field: string): string[] =>
    objectsAt(object, 'spec', field).map((container) => textAt(container, 'image'));
  if (['containers', 'initContainers'].some((field) => !jsonEqual(images(pod, field), images(old, field)))) {
    return true;
  }
  const before = objectsAt(old, 'spec', 'ephemeralContainers');
  return objectsAt(pod, 'spec', 'ephemeralContainers').some(
    ({ name, image }) => before.find((one) => one['name'] === name)?.['image'] !== image,
  );
}

function validateNamespace(store: Cluster['store'], request: AdmissionRequest, object: KubeObject): void {
  const { name, old, subresource, warn } = request;
  if (subresource !== undefined) return;
  const { policy, causes } = policyOf(object.metadata.labels ?? {});
  const before = old === undefined ? undefined : policyOf(old.metadata.labels ?? {});
  if (causes.length > 0 && !jsonEqual(causes, before?.causes)) {
    throw invalid({ group: '', kind: 'Namespace', name }, causes);
  }
  if (before === undefined) return;
  const { enforce } = policy;
  const { enforce: enforced } = before.policy;
  if (enforce.minor === enforced.minor && !isStricter(enforce.level, enforced.level)) return;
  const pods = store.entries('pods', name).map((entry) => entry.object);
  for (const warning of warningsAboutPods(name, enforce, pods)) warn(warning);
}
