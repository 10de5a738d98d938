import { isIP } from 'node:net';
import type { FieldProblem } from '@interlock/base';

/** Hosts that jobs reach through the proxy alone: its allow-list and its log would miss what goes around it. */
const proxied = [
  'github.com',
  'api.github.com',
  'codeload.github.com',
  'objects.githubusercontent.com',
  'raw.githubusercontent.com',
  'pkg-containers.githubusercontent.com',
  'results-receiver.actions.githubusercontent.com',
  'ghcr.io',
];

/* A network of more addresses would hold the public ones of GitHub, whichever they are. */
const shortestPrefix = { 4: 8, 6: 16 } as const;

/** Returns which entries of noProxyCIDRs would let traffic to GitHub go around the proxy. */
export function noProxyProblems(
  entries: readonly string[],
  githubHost: string | undefined,
  path: string,
): FieldProblem[] {
  const hosts = githubHost === undefined ? proxied : [...proxied, githubHost];
  return entries.flatMap((value, index): FieldProblem[] => {
    const message = problemOf(value, hosts);
    return message === undefined ? [] : [{ field: `${path}[${index}]`, value, message }];
  });
}

function problemOf(entry: string, hosts: readonly string[]): string | undefined {
  const [address = '', prefix] = entry.split('/');
  const family = isIP(address);
  if (family === 4 || family === 6) {
    const isTooLarge = prefix !== undefined && !(Number(prefix) >= shortestPrefix[family]);
    return isTooLarge
      ? `network ${entry} is too large to go around the proxy: write networks of the cluster, of at least /${shortestPrefix[family]}`
      : undefined;
  }
  /* Some clients read an entry as the end of a name, whether a dot is before it or not; a port and the dot of the root are allowed. */
  const suffix = entry
    .toLowerCase()
    .replace(/^\*?\.?/, '')
    .replace(/\.?(:\d*)?$/, '');
  const covered = hosts.find((host) => host.endsWith(suffix));
  if (covered === undefined) return undefined;
  return `${entry} would let traffic to ${covered} go around the proxy; remove it`;
}
