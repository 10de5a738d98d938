import { badRequest } from '../api/api-error.js';
import type { KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';

interface FieldRequirement {
  field: string;
  negated: boolean;
  value: string;
}

/** Splits a selector at unescaped commas, and each term at the first `!=`, `==` or `=`. */
function parse(selector: string): FieldRequirement[] {
  const terms = selector.match(/(?:\\.?|[^\\,])+/gs) ?? [];
  return terms.map((term) => {
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = match;
    return { field, negated: operator === '!=', value: unescaped(value) };
  });
}

/**
 * Removes the backslashes that escape `\\`, `,` and `=`. Throws a 400 for an unescaped `,` or `=`, and for any other
 * escape.
 */
function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gs, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found}`);
    }
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}

/** Returns the name that a field selector requires; undefined when it does not require a name or is malformed. */
export function selectedName(selector: string): string | undefined {
  try {
    return requiredName(parse(selector));
  } catch {
    return undefined;
  }
}

function requiredName(requirements: readonly FieldRequirement[]): string | undefined {
  return requirements.find(({ field, negated }) => field === 'metadata.name' && !negated)?.value;
}

/**
 * Compiles a field selector for a resource: a test, and the name when exactly one object can match. Throws a 400 for a
 * field that the resource does not offer. Source: k8s.io/apimachinery/pkg/fields.
 */
export function compileFieldSelector(
  selector: string,
  resource: Resource,
): { matches: (object: KubeObject) => boolean; name: string | undefined } {
  const tests = parse(selector).map(({ field, negated, value }) => {
    const read = fieldReader(field, resource);
    return (object: KubeObject): boolean => (read(object) === value) !== negated;
  });
  return { name: requiredName(parse(selector)), matches: (object) => tests.every((test) => test(object)) };
}

function fieldReader(field: string, resource: Resource): (object: KubeObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name;
  if (field === 'metadata.namespace' && offersNamespace(resource)) {
    return (object) => object.metadata.namespace ?? '';
  }
  const read = Object.hasOwn(resource.fields, field) ? resource.fields[field] : undefined;
  if (read !== undefined) return read;
  if (resource.custom || Object.keys(resource.fields).length > 0) {
    throw badRequest(`field label not supported: ${field}`);
  }
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

/**
 * Returns whether a kind supports its namespace as a field. Cluster-scoped built-in kinds do as well, unless they
 * have other selectable fields.
 */
function offersNamespace({ namespaced, custom, fields }: Resource): boolean {
  return namespaced || (!custom && Object.keys(fields).length === 0);
}
