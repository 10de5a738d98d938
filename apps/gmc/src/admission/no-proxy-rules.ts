import { isIP } from 'node:net';
import type { FieldProblem } from '@interlock/base';

/** Hosts that jobs may reach only through the proxy: traffic that bypasses it is neither filtered nor logged. */
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

/** Every name below these belongs to GitHub. */
const domains = ['github.com', 'githubusercontent.com'];

/* A larger network could contain public addresses of GitHub. */
const shortestPrefix = { 4: 8, 6: 16 } as const;

/** Returns which entries of noProxyCIDRs would let traffic to GitHub bypass the proxy. */
export function noProxyProblems(
  entries: readonly string[],
  githubHost: string | undefined,
  path: string,
): FieldProblem[] {
  const own = githubHost === undefined ? [] : [githubHost];
  return entries.flatMap((value, index): FieldProblem[] => {
    const message = problemOf(value, [...proxied, ...own], [...domains, ...own]);
    return message === undefined ? [] : [{ field: `${path}[${index}]`, value, message }];
  });
}

function problemOf(entry: string, hosts: readonly string[], parents: readonly string[]): string | undefined {
  const [address = '', prefix] = entry.split('/');
  const family = isIP(address);
  if (family === 4 || family === 6) {
    const isTooLarge = prefix !== undefined && !(Number(prefix) >= shortestPrefix[family]);
    return isTooLarge
      ? `network ${entry} is too large to bypass the proxy: list networks of the cluster, with a prefix of at least /${shortestPrefix[family]}`
      : undefined;
  }
  /* Some clients treat an entry as the suffix of a name, with or without a leading dot; a port and the dot of the root are allowed. */
  const suffix = entry
    .toLowerCase()
    .replace(/^\*?\.?/, '')
    .replace(/\.?(:\d*)?$/, '');
  const isBelow = parents.some((parent) => suffix.endsWith(`.${parent}`));
  const covered = isBelow ? suffix : hosts.find((host) => host.endsWith(suffix));
  if (covered === undefined) return undefined;
  return `${entry} would let traffic to ${covered} bypass the proxy; remove it`;
}
