import type { ResponseProvider } from '@interlock/api';

/** The hosts of providers whose routes name none. */
const publicHosts: Partial<Record<ResponseProvider['kind'], string>> = {
  'github-app': 'github.com',
  'github-pat': 'github.com',
  gitlab: 'gitlab.com',
};

/** @returns the host of a provider; undefined: it has none. */
export function hostOf({ kind, host }: ResponseProvider): string | undefined {
  return host ?? publicHosts[kind];
}
