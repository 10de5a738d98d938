import { forbidden, invalid, required } from '../schema/field-error.js';
import type { Cause } from '../schema/types.js';
import type { KubeObject } from '../object.js';
import { validateOwners } from './owner-references.js';

const subdomainPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const label1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValuePattern = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const subdomain = whole(subdomainPattern);
const label = whole(labelPattern);
const label1035 = whole(label1035Pattern);
const qualifiedName = whole(qualified);
const labelValue = whole(labelValuePattern);

/**
 * Returns the problem with a name, or with `prefix` a generateName. Source: k8s.io/apimachinery/pkg/util/validation.
 */
type NameCheck = (name: string, prefix: boolean) => string | undefined;

/** Returns the name; in a prefix, a letter replaces the last dash, because a suffix will follow it. */
function masked(name: string, prefix: boolean): string {
  return prefix ? name.replace(/-$/, 'a') : name;
}

/** Returns the problem with a name that has to be an RFC 1123 subdomain, as in most kinds; or undefined. */
export function checkSubdomain(name: string, prefix = false): string | undefined {
  if (name.length > 253) return 'must be no more than 253 bytes';
  if (subdomain.test(masked(name, prefix))) return undefined;
  return `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainPattern}')`;
}

/** Returns the problem with a name that has to be an RFC 1123 label, as in namespaces; or undefined. */
export function checkLabel(name: string, prefix = false): string | undefined {
  if (name.length > 63) return 'must be no more than 63 bytes';
  if (label.test(masked(name, prefix))) return undefined;
  return `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${labelPattern}')`;
}

/** Returns the problem with a name that has to be an RFC 1035 label, as in services; or undefined. */
export function checkLabel1035(name: string, prefix = false): string | undefined {
  if (name.length > 63) return 'must be no more than 63 bytes';
  if (label1035.test(masked(name, prefix))) return undefined;
  return `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035Pattern}')`;
}

/** Returns the problem with a name that has to be a path segment, as in RBAC kinds; or undefined. */
export function checkPathSegment(name: string, prefix = false): string | undefined {
  if (!prefix && (name === '.' || name === '..')) return `may not be '${name}'`;
  if (name.includes('/')) return "may not contain '/'";
  if (name.includes('%')) return "may not contain '%'";
  return undefined;
}

/** Returns the problems with a label, annotation or finalizer key, or undefined. */
export function checkQualifiedName(key: string): string | undefined {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix === '') return 'prefix part must be non-empty';
  if (prefix !== undefined) {
    const wrong = checkSubdomain(prefix);
    if (wrong !== undefined) return `prefix part ${wrong}`;
  }
  if (name === '') return `name part must be non-empty`;
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  if (qualifiedName.test(name)) return undefined;
  return `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}')`;
}

/** Returns the problems with a label value, or undefined. */
export function checkLabelValue(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 bytes';
  if (labelValue.test(value)) return undefined;
  return `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValuePattern}')`;
}

const annotationsLimit = 256 * 1024;

/** Checks the metadata that every kind has. Source: apimachinery/pkg/api/validation, objectmeta.go. */
export function validateMetadata(object: KubeObject, namespaced: boolean, checkName: NameCheck): Cause[] {
  const { metadata } = object;
  const causes: Cause[] = [];
  if (metadata.generateName !== undefined && metadata.generateName !== '') {
    const wrong = checkName(metadata.generateName, true);
    if (wrong !== undefined) causes.push(invalid('metadata.generateName', metadata.generateName, wrong));
  }
  if (metadata.name === '') causes.push(required('metadata.name', 'name or generateName is required'));
  else {
    const wrong = checkName(metadata.name, false);
    if (wrong !== undefined) causes.push(invalid('metadata.name', metadata.name, wrong));
  }
  if (!namespaced && metadata.namespace !== undefined) {
    causes.push(forbidden('metadata.namespace', 'not allowed on this type'));
  }
  return [...causes, ...validateLabels(metadata.labels ?? {}, 'metadata.labels'), ...validateRest(object)];
}

/** Returns the problems with a map of labels. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const badKey = checkQualifiedName(key);
    const badValue = checkLabelValue(value);
    return [
      ...(badKey === undefined ? [] : [invalid(field, key, badKey)]),
      ...(badValue === undefined ? [] : [invalid(field, value, badValue)]),
    ];
  });
}

function validateRest({ metadata }: KubeObject): Cause[] {
  const causes: Cause[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    size += key.length + value.length;
    const wrong = checkQualifiedName(key.toLowerCase());
    if (wrong !== undefined) causes.push(invalid('metadata.annotations', key, wrong));
  }
  if (size > annotationsLimit) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${String(annotationsLimit)} bytes`,
      field: 'metadata.annotations',
    });
  }
  for (const finalizer of metadata.finalizers ?? []) {
    const wrong = checkQualifiedName(finalizer);
    if (wrong !== undefined) causes.push(invalid('metadata.finalizers', finalizer, wrong));
  }
  const both = ['orphan', 'foregroundDeletion'];
  if (both.every((finalizer) => metadata.finalizers?.includes(finalizer))) {
    const detail = `finalizer ${both.join(' and ')} cannot be both set`;
    causes.push(invalid('metadata.finalizers', metadata.finalizers, detail));
  }
  return [...causes, ...validateOwners(metadata.ownerReferences ?? [])];
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

/**
 * Returns the problems with a finalizer of a built-in kind, beyond the rule of qualified names; or
 * undefined.
 */
export function checkKubeFinalizer(finalizer: string): string | undefined {
  if (finalizer.includes('/') || standardFinalizers.includes(finalizer)) return undefined;
  return 'name is neither a standard finalizer name nor is it fully qualified';
}
