import { isTyped, keyString, TypedError, type GitRepository, type ObjectKey } from '@interlock/api';
import { Problem } from '@interlock/base';

/**
 * Returns the error with the field to correct at the front of its message. Pure.
 * @param error from the adapters of the SCM and of git, which do not know the resources of the repository
 */
export function explain(gitRepository: GitRepository, error: TypedError): TypedError {
  const { type, reason, retryAfterMs, message } = error;
  const options = { reason, cause: error, retryAfterMs };
  return new TypedError(type, `${fieldOf(gitRepository, type)}: ${message}`, options);
}

/** Returns the problem of the objects that refer to the GitRepository `key`. Pure. */
export function problemForDependents(key: ObjectKey, error: TypedError): Problem {
  const message = `spec.repoRef.name: GitRepository ${keyString(key)} cannot be used: ${error.message}`;
  return new Problem(error.reason, message, { transient: isTyped(error, 'Transient', 'RateLimited') });
}

function fieldOf({ spec }: GitRepository, type: TypedError['type']): string {
  const { kind, name } = spec.scmProviderRef;
  switch (type) {
    case 'NotFound':
    case 'Invalid':
      return sectionOf(spec);
    case 'Unauthorized':
      return `spec.scmProviderRef (the Secret of ${kind} ${name})`;
    default:
      return `spec.scmProviderRef (${kind} ${name})`;
  }
}

/** Fields of a section in the order in which a repository is written; API servers sort them by name. */
const namingFields = ['owner', 'namespace', 'name', 'url'];

/** Returns the section that names the repository, with the names in it: `spec.github (acme/web)`. */
function sectionOf({ scmProviderRef: _, ...sections }: GitRepository['spec']): string {
  const [field = '', section = {}] = Object.entries(sections).find(([, value]) => value !== undefined) ?? [];
  const fields = new Map<string, unknown>(Object.entries(section));
  const names = namingFields
    .flatMap((name) => fields.get(name) ?? [])
    .filter((value) => typeof value === 'string');
  return `spec.${field} (${names.join('/')})`;
}
