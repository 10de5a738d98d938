import { posix } from 'node:path';
import type { Selected } from './selection.js';

/**
 * Returns an identifier of the remote of a repository, independent of the account: its host and its path. Servers treat
 * names that differ only in case as the same. A dry run (`noop`) is a separate remote, because it changes nothing.
 *
 * @param provider the plugin of the account and its section of the spec.
 * @param repository the section of the plugin in the spec of the repository.
 * @throws TypedError `Invalid` when the server of the account cannot be read.
 */
export function remoteOf({ plugin, section }: Selected, repository: unknown): string | undefined {
  const text = textsOf(repository);
  if (plugin.name === 'local') return localRemote(textsOf(section).get('path'), text.get('name'));
  if (plugin.name === 'noop') return dryRunRemote(text.get('url'));
  const [origin] = plugin.origins(section);
  const server = origin === undefined ? JSON.stringify(section) : hostOf(new URL(origin));
  const path = pathOf(text);
  if (path !== undefined) return `${origin === undefined ? `${plugin.name} ` : ''}${server}/${path}`;
  const fields = [...text].map((field) => field.join(' ').toLowerCase()).sort();
  return [plugin.name, server, ...fields].join('\n');
}

/** Returns the identifier of a repository in a directory, whose name is case-sensitive. */
function localRemote(directory: string | undefined, name: string | undefined): string | undefined {
  if (directory === undefined || name === undefined) return undefined;
  return `file:${posix.join(directory, name.replace(/\.git$/, ''))}`;
}

function dryRunRemote(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return `dry run of ${hostOf(parsed)}${withoutSuffix(parsed.pathname)}`;
}

/** Returns a host with its port, unless it is the default: a server serves the same repositories with and without TLS. */
function hostOf({ host }: URL): string {
  return host.replace(/\.(?=:|$)/, '');
}

function pathOf(text: ReadonlyMap<string, string>): string | undefined {
  const folder = text.get('owner') ?? text.get('namespace');
  const name = text.get('name');
  return folder === undefined || name === undefined ? undefined : withoutSuffix(`${folder}/${name}`);
}

function withoutSuffix(path: string): string {
  return path
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

/** Returns the fields of a section as text; empty if it is not an object. */
function textsOf(section: unknown): Map<string, string> {
  const texts = new Map<string, string>();
  if (typeof section !== 'object' || section === null) return texts;
  for (const [field, value] of Object.entries<unknown>({ ...section })) {
    if (value !== undefined) texts.set(field, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return texts;
}
