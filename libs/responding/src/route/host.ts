/** The hosts of providers whose routes name none. */
const publicHosts: Readonly<Record<string, string>> = {
  'github-app': 'github.com',
  'github-pat': 'github.com',
  gitlab: 'gitlab.com',
};

/** Returns the host of a provider; undefined: it has none. */
export function hostOf({ kind, host }: { kind: string; host?: string | undefined }): string | undefined {
  return host ?? publicHosts[kind];
}
