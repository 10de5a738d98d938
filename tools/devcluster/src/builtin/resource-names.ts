import { checkQualifiedName } from '../registry/names.js';
import { invalid } from '../schema/field-error.js';
import type { Cause } from '../schema/types.js';

const containerResources = ['cpu', 'memory', 'ephemeral-storage'];
const countedResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const quotaResources = [
  ...containerResources,
  ...containerResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...countedResources,
  'requests.storage',
];
const standardResources = [...quotaResources, 'storage'];
const hugePages = 'hugepages-';

/** Returns whether Kubernetes itself defines a resource: it has no domain, or a domain in kubernetes.io. */
function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Returns whether a resource is an extended resource, such as `example.com/gpu`. */
function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`) === undefined;
}

/** Returns whether a resource can be overcommitted, so that limits can exceed requests. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !name.startsWith(hugePages);
}

/** Returns whether only whole numbers of a resource can be counted. */
export function isIntegerResource(name: string): boolean {
  return countedResources.includes(name) || isExtendedResource(name);
}

/** Returns whether a quota can count a resource that has no domain. */
export function isStandardQuotaResource(name: string): boolean {
  return quotaResources.includes(name) || isHugePages(name);
}

/** Returns the problems with the name of a resource. Source: Kubernetes pkg/apis/core/validation. */
export function validateResourceName(name: string, field: string): Cause[] {
  const wrong = checkQualifiedName(name);
  if (wrong !== undefined) return [invalid(field, name, wrong)];
  if (name.includes('/') || standardResources.includes(name) || isHugePages(name)) return [];
  return [invalid(field, name, 'must be a standard resource type or fully qualified')];
}

/** Returns the problems with the name of a resource that a quota limits. */
export function validateQuotaResourceName(name: string, field: string): Cause[] {
  const causes = validateResourceName(name, field);
  if (name.includes('/') || isStandardQuotaResource(name)) return causes;
  return [...causes, invalid(field, name, 'must be a standard resource for quota')];
}

/** Returns the problems with the name of a resource that containers use. */
export function validateContainerResourceName(name: string, field: string): Cause[] {
  const causes = validateResourceName(name, field);
  if (!name.includes('/')) {
    return containerResources.includes(name) || name.startsWith(hugePages)
      ? causes
      : [...causes, invalid(field, name, 'must be a standard resource for containers')];
  }
  return isNativeResource(name) || isExtendedResource(name)
    ? causes
    : [...causes, invalid(field, name, "doesn't follow extended resource name standard")];
}

function isHugePages(name: string): boolean {
  return name.startsWith(hugePages) || name.startsWith(`requests.${hugePages}`);
}
