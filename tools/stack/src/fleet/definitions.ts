import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTyped } from '@interlock/api';
import { CustomResourceDefinition, type ApplyConfiguration, type Client } from '@interlock/kube';
import { CORE_SCHEMA, loadAll } from 'js-yaml';
import { chartFile } from '../paths.js';
import { waitFor } from '../wait-for.js';

/** The fields of a CustomResourceDefinition that are read. */
export interface Definition extends ApplyConfiguration {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: readonly { name: string; served: boolean; storage: boolean }[];
  };
}

let parsed: Promise<readonly Definition[]> | undefined;

/** Returns the CustomResourceDefinitions of the chart. They are parsed once per process. */
export function chartDefinitions(): Promise<readonly Definition[]> {
  return (parsed ??= readDefinitions());
}

async function readDefinitions(): Promise<Definition[]> {
  const folder = chartFile('interlock-crds', 'crds');
  const files = (await readdir(folder)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  /* js-yaml takes a fifth of the time of yaml for these texts, which every start of a cluster waits for. */
  return texts.flatMap((text) => loadAll(text, null, { schema: CORE_SCHEMA }) as Definition[]);
}

/** Applies CustomResourceDefinitions and waits until their resources are served. @throws Error after a minute */
export async function installDefinitions(
  client: Client,
  definitions: readonly Definition[],
  fieldManager: string,
): Promise<void> {
  for (const definition of definitions) {
    await client.apply(CustomResourceDefinition, definition, { fieldManager });
  }
  for (const definition of definitions) await waitUntilServed(client, definition);
}

/** Returns the path of all objects of a definition, in the storage version. */
export function collectionOf({ spec: { group, names, versions } }: Definition): string {
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  return `/apis/${group}/${version}/${names.plural}`;
}

/* An API server begins to serve a kind some time after it has accepted the definition. */
async function waitUntilServed(client: Client, definition: Definition): Promise<void> {
  await waitFor(`${definition.metadata.name} is served`, async () => {
    try {
      await client.raw({ method: 'GET', path: `${collectionOf(definition)}?limit=1` });
      return true;
    } catch (error) {
      if (isTyped(error, 'NotFound')) return false;
      throw error;
    }
  });
}
