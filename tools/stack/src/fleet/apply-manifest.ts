import type { Manifest } from '@interlock/charts';
import type { Client } from '@interlock/kube';

const fieldManager = 'stack';

/**
 * Applies an object of a chart.
 * @throws Error when the cluster does not serve its kind
 */
export async function applyManifest(client: Client, manifest: Manifest): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const served = await client.resolveKind(apiVersion, kind);
  if (served === undefined) throw new Error(`the cluster does not serve ${kind} of ${apiVersion}`);
  await client.apply(served, { ...manifest, metadata }, { fieldManager });
}
