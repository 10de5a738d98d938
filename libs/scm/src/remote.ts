import { posix } from 'node:path';
import type { Selected } from './selection.js';

/**
 * Returns what identifies the remote of a repository, whatever account it is accessed with: its host and its path. Servers
 * take names that differ in case only for the same. A dry run (`noop`) is a remote of its own, as it changes nothing.
 *
 * @param provider the plugin of the account and what its spec says to it.
 * @param repository what the spec of the repository says to the plugin.
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

/** Names on a disk differ by their case. */
function localRemote(directory: string | undefined, name: string | undefined): string | undefined {
  if (directory === undefined || name === undefined) return undefined;
  return `file:${posix.join(directory, name.replace(/\.git$/, ''))}`;
}

function dryRunRemote(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return `dry run of ${hostOf(parsed)}${withoutSuffix(parsed.pathname)}`;
}

/** A host with its port, where that is not the scheme's: a server answers with TLS and without. */
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

/** Returns the fields of a section as text; none of what is not an object. */
function textsOf(section: unknown): Map<string, string> {
  const texts = new Map<string, string>();
  if (typeof section !== 'object' || section === null) return texts;
  for (const [field, value] of Object.entries<unknown>({ ...section })) {
    if (value !== undefined) texts.set(field, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return texts;
}
