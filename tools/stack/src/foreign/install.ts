import type { Kind } from '@interlock/api';
import { CustomResourceDefinition, type Client } from '@interlock/kube';
import { installDefinitions } from '../fleet/definitions.js';
import type { ForeignKind } from './kinds.js';
import { definitionOf } from './schemas.js';

/** Makes the API server serve kinds of Flux or Argo CD, as far as the fleet reads and writes them. */
export async function installForeignKinds(client: Client, kinds: readonly ForeignKind[]): Promise<void> {
  await installDefinitions(client, kinds.map(definitionOf), 'installer');
}

/** Removes kinds, and with them all their objects. */
export async function removeForeignKinds(client: Client, kinds: readonly Kind[]): Promise<void> {
  for (const { plural, group } of kinds) {
    await client.delete(CustomResourceDefinition, { name: `${plural}.${group}` });
  }
}
