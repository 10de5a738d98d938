import type { Kind } from '@interlock/api';
import { CustomResourceDefinition, type Client } from '@interlock/kube';
import { installDefinitions } from '../fleet/definitions.js';
import type { ForeignKind } from './kinds.js';
import { definitionOf } from './schemas.js';

/** Installs kinds of Flux or Argo CD in the cluster, with the fields that the apps read and write. */
export async function installForeignKinds(client: Client, kinds: readonly ForeignKind[]): Promise<void> {
  await installDefinitions(client, kinds.map(definitionOf), 'installer');
}

/** Deletes kinds with all their objects. */
export async function removeForeignKinds(client: Client, kinds: readonly Kind[]): Promise<void> {
  for (const { plural, group } of kinds) {
    await client.delete(CustomResourceDefinition, { name: `${plural}.${group}` });
  }
}
