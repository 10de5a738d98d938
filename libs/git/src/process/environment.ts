import { devNull } from 'node:os';
import type { Transport } from '../names.js';

/** Credentials for HTTP Basic authentication at a git remote; the password is usually a token. */
export interface GitCredentials {
  username: string;
  password: string;
}

/** A git setting for one process. */
export type Setting = readonly [key: string, value: string];

/* All other variables of the parent are excluded: GIT_*, editors, pagers, ssh agents, and secrets of the app. */
const kept = [
  'PATH',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
];

/** Harmless defects of old clients that occur in many repositories (git-fsck(1), "fsck messages"). */
export const harmlessDefects = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'] as const;

/* Hooks and background maintenance never run; packs are kept as packs, so that a killed fetch is complete or absent.
   Malformed objects are refused. Threads, windows and caches are bounded: the defaults are meant for machines with nothing
   else to do, and reserve more memory than a process is given. */
const baseSettings: readonly Setting[] = [
  ['protocol.version', '2'],
  ['core.hooksPath', devNull],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['transfer.unpackLimit', '1'],
  ['credential.helper', ''],
  ['repack.writeBitmaps', 'false'], // They need all objects behind a commit, which a mirror without blobs does not have.
  ['pack.threads', '1'],
  ['index.threads', '1'],
  ['pack.windowMemory', '64m'],
  ['pack.deltaCacheSize', '32m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['core.packedGitWindowSize', '16m'],
  ['core.packedGitLimit', '128m'],
  ['core.bigFileThreshold', '32m'],
  ['fetch.fsckObjects', 'true'],
  ...harmlessDefects.map((defect): Setting => [`fetch.fsck.${defect}`, 'ignore']),
];

/* These settings are deliberately not in the file on disk: a process without them never uses the network by itself. */
const partialClone: readonly Setting[] = [
  ['remote.origin.promisor', 'true'],
  ['remote.origin.partialclonefilter', 'blob:none'],
];

/** The access of a process to the remote. */
export interface RemoteAccess {
  url: string;
  credentials: GitCredentials | undefined;
  /** Whether redirects of the first request are followed, for renamed repositories. */
  redirects: boolean;
}

const username = 'INTERLOCK_GIT_USERNAME';
const testPassword = 'INTERLOCK_GIT_PASSWORD';
const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${username}" "$${testPassword}"; }; f`;

interface EnvironmentOptions {
  /** The environment of this process. */
  parent: Readonly<Record<string, string | undefined>>;
  /** A home folder without settings for git. */
  home: string;
  gitDir?: string | undefined;
  transports: readonly Transport[];
  /** Set only for processes that may use the remote, and that therefore fetch missing objects. */
  remote?: RemoteAccess | undefined;
  settings?: readonly Setting[];
  extra?: Readonly<Record<string, string>>;
}

/** Returns the whole environment of one git process; secrets are passed only in it. */
export function gitEnvironment(options: EnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of kept) {
    const value = options.parent[name];
    if (value !== undefined) environment[name] = value;
  }
  Object.assign(environment, options.extra, {
    HOME: options.home,
    LC_ALL: 'C',
    MALLOC_ARENA_MAX: '1', // Each thread would reserve an arena of its own, which counts as memory in use.
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_DEFAULT_REF_FORMAT: 'files', // Later versions of git would choose another, in which references cannot be written here.
    GIT_ALLOW_PROTOCOL: options.transports.join(':'),
  });
  if (options.remote?.credentials && options.remote.redirects) {
    environment[username] = options.remote.credentials.username;
    environment[testPassword] = options.remote.credentials.password;
  }
  if (options.gitDir !== undefined) environment['GIT_DIR'] = options.gitDir;
  const settings = [
    ...baseSettings,
    ...(options.remote ? remoteSettings(options.remote) : []),
    ...(options.settings ?? []),
  ];
  environment['GIT_CONFIG_COUNT'] = String(settings.length);
  settings.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return environment;
}

/* A header is sent with the first request and saves a round trip, but git sends it to the target of a redirect too, so it is
   used only where redirects are refused. Git calls a helper for one host only for that host, after a 401. */
function remoteSettings({ url, credentials, redirects }: RemoteAccess): Setting[] {
  const settings: Setting[] = [...partialClone, ['http.followRedirects', redirects ? 'initial' : 'false']];
  const { protocol, host } = new URL(url);
  if (!credentials || (protocol !== 'https:' && protocol !== 'http:')) return settings;
  const origin = `${protocol}//${host}`;
  if (redirects) return [...settings, [`credential.${origin}.helper`, helper]];
  return [...settings, [`http.${origin}/.extraHeader`, `Authorization: ${authorization(credentials)}`]];
}

/** Returns the value of the header `Authorization` (RFC 7617). */
export function authorization(credentials: GitCredentials): string {
  return `Basic ${basic(credentials)}`;
}

function basic({ username, password }: GitCredentials): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

/** Returns the texts that must never be shown for these credentials. */
export function secretsOf(credentials: GitCredentials | undefined): string[] {
  return credentials ? [credentials.password, basic(credentials)].filter((secret) => secret !== '') : [];
}
