import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActionsGateway, conditions, type Condition } from '@interlock/api';
import type { ActionsService } from '@interlock/actions-service';
import { ConfigMap, Namespace, Secret, type Client } from '@interlock/kube';
import { stringify } from 'yaml';
import { waitFor } from '../wait-for.js';
import { namespaceContent } from './namespace-content.js';
import { gatewayManifest, own, tenantLabels, type PlannedTenant } from './plan.js';

const fieldManager = 'team';
const readyTimeoutMs = 120_000;

/** Inputs for the creation of a tenant. */
interface TenantSetup {
  client: Client;
  service: ActionsService;
  /** Folder in which the manifest is stored. */
  folder: string;
  signal: AbortSignal;
}

/** A tenant that was created. */
export interface CreatedTenant {
  /** Private key of the GitHub App. */
  privateKey: string;
  /** Objects of the namespace before the gateway was created, as `Kind/name`. */
  content: ReadonlySet<string>;
}

/** Creates a tenant as the platform team and the team of the tenant do. */
export async function createTenant(setup: TenantSetup, tenant: PlannedTenant): Promise<CreatedTenant> {
  const { client, service, folder } = setup;
  const { namespace } = tenant;
  await client.apply(Namespace, { metadata: { name: namespace, labels: tenantLabels } }, { fieldManager });
  const privateKey = await service.addAppKey();
  await createCredential(setup, tenant, own.secret, privateKey);
  await client.apply(
    ConfigMap,
    { metadata: { namespace, name: own.caBundle }, data: { 'ca.crt': service.ca ?? '' } },
    { fieldManager },
  );
  const manifest = gatewayManifest(tenant, service.urls.web);
  await writeFile(join(folder, `${namespace}.yaml`), stringify(manifest));
  const content = await namespaceContent(client, namespace);
  await client.apply(ActionsGateway, manifest, { fieldManager });
  return { privateKey, content };
}

/** Creates a Secret with a credential of the GitHub App. */
export async function createCredential(
  { client, service: { app } }: Pick<TenantSetup, 'client' | 'service'>,
  { namespace, installation }: PlannedTenant,
  name: string,
  privateKey: string,
): Promise<void> {
  const stringData = { appId: String(app.id), installationId: String(installation), privateKey };
  await client.apply(Secret, { metadata: { namespace, name }, stringData }, { fieldManager });
}

/** Waits until a gateway is ready, as `kubectl wait --for=condition=Ready` does. @throws Error with the reason why it is not */
export async function untilReady(
  { client, signal }: Pick<TenantSetup, 'client' | 'signal'>,
  { namespace }: PlannedTenant,
): Promise<void> {
  let last: Condition | undefined;
  const isReady = async (): Promise<boolean> => {
    const { metadata, status } = await client.get(ActionsGateway, { namespace, name: own.gateway });
    last = status?.conditions?.find(({ type }) => type === conditions.ready);
    return last?.status === 'True' && last.observedGeneration === metadata.generation;
  };
  try {
    await waitFor(`actionsgateway/${own.gateway} of ${namespace} is ready`, isReady, signal, {
      timeoutMs: readyTimeoutMs,
    });
  } catch (error) {
    if (signal.aborted || last === undefined) throw error;
    throw new Error(`${(error as Error).message}: ${last.reason}: ${last.message}`, { cause: error });
  }
}
