import type { Base } from '../options.js';

const prefixes: readonly (readonly [string, Base])[] = [
  ['/__fake/', 'control'],
  ['/_apis/oauth2/', 'token'],
  ['/tenant/', 'tenant'],
  ['/broker/', 'broker'],
  ['/run/', 'run'],
  ['/results/', 'results'],
];

/** Returns the base of a path; by default REST, with or without `/api/v3`. */
export function baseOfPath(path: string): Base {
  return prefixes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'rest';
}
