import { UsageError } from '@interlock/service/flags';
import type * as core from 'kubernetes-types/core/v1.js';

/** An object in the same namespace with certificate authorities in PEM. */
export interface AuthoritiesRef {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  key: string;
}

const pattern = /^(ConfigMap|Secret)\/([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)\/([-._a-zA-Z0-9]+)$/;

/**
 * Returns the reference in a text such as `ConfigMap/github-ca/ca.crt`; undefined for an empty text.
 *
 * @throws UsageError when it is not a reference
 */
export function parseAuthoritiesRef(text: string): AuthoritiesRef | undefined {
  if (text === '') return undefined;
  const [, kind, name, key] = pattern.exec(text) ?? [];
  if ((kind !== 'ConfigMap' && kind !== 'Secret') || name === undefined || key === undefined) {
    throw new UsageError(
      `--github-ca-ref ${text} is not a reference; write one such as ConfigMap/github-ca/ca.crt or Secret/github-ca/ca.crt`,
    );
  }
  return { kind, name, key };
}

/** Returns a volume with only the certificates, as the file `path`. */
export function authoritiesVolume(volume: string, ref: AuthoritiesRef, path: string): core.Volume {
  const items = [{ key: ref.key, path }];
  return ref.kind === 'ConfigMap'
    ? { name: volume, configMap: { name: ref.name, items, defaultMode: 0o444 } }
    : { name: volume, secret: { secretName: ref.name, items, defaultMode: 0o444 } };
}
