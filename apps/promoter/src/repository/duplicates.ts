import { keyOf, keyString, type GitRepository, type ObjectKey } from '@interlock/api';

/**
 * Returns the GitRepositories of a namespace that name the same repository at the same provider, the one of the key
 * included. SCMs take names for the same that differ in case only.
 *
 * @param candidates of the namespace of the key.
 */
export function duplicatesOf(key: ObjectKey, candidates: readonly GitRepository[]): ObjectKey[] {
  const own = candidates.find((candidate) => keyString(keyOf(candidate)) === keyString(key));
  if (own === undefined) return [key];
  const named = remoteOf(own);
  return candidates.filter((candidate) => remoteOf(candidate) === named).map(keyOf);
}

function remoteOf({ spec: { scmProviderRef, ...sections } }: GitRepository): string {
  const { kind, name } = scmProviderRef;
  const fields = Object.entries(sections).flatMap(([section, value]) =>
    Object.entries(value ?? {}).map(([field, text]) =>
      [section, field, String(text).toLowerCase()].join(' '),
    ),
  );
  return [kind, name, ...fields.sort()].join('\n');
}
