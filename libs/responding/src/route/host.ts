/** The default hosts of providers. */
const publicHosts: Readonly<Record<string, string>> = {
  'github-app': 'github.com',
  'github-pat': 'github.com',
  gitlab: 'gitlab.com',
};

/** Returns the host of a provider; undefined if it has none. */
export function hostOf({ kind, host }: { kind: string; host?: string | undefined }): string | undefined {
  return host ?? publicHosts[kind];
}
