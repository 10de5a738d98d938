import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { load } from 'js-yaml';

/** Returns the files that the variable `KUBECONFIG` lists. */
export function listedFiles(): string[] {
  return (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
}

/**
 * Returns the configuration of several files, merged like in client-go: the first file that sets the current context or
 * defines a name takes precedence, and missing files are skipped. client-node selects the current context of the last
 * file, which may be that of another cluster, and refuses missing files and repeated names.
 *
 * @throws an error if a file cannot be read, or all are missing
 */
export function mergedConfig(files: readonly string[]): KubeConfig {
  const existing = files.filter((file) => existsSync(file));
  const parts = (existing.length === 0 ? files : existing).map(readFile);
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: firstOfName(parts.flatMap((part) => part.getClusters())),
    users: firstOfName(parts.flatMap((part) => part.getUsers())),
    contexts: firstOfName(parts.flatMap((part) => part.getContexts())),
    currentContext: parts.map((part) => part.getCurrentContext()).find(Boolean) ?? '',
  });
  return merged;
}

/** Returns the configuration in a file; an empty file, which client-node refuses, has no entries. */
function readFile(file: string): KubeConfig {
  const config = new KubeConfig();
  const text = readFileSync(file, 'utf8');
  if (load(text) == null) return config;
  config.loadFromString(text);
  config.makePathsAbsolute(dirname(file));
  return config;
}

function firstOfName<T extends { name: string }>(entries: readonly T[]): T[] {
  const found = new Map<string, T>();
  for (const entry of entries) if (!found.has(entry.name)) found.set(entry.name, entry);
  return [...found.values()];
}
