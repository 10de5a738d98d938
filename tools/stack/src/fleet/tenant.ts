import {
  annotations,
  apiVersionOf,
  GitRepository,
  PromotionStrategy,
  ScmProvider,
  type CustomKind,
  type ObjectKey,
} from '@interlock/api';
import { Secret, type Client } from '@interlock/kube';
import { ensureNamespace } from './install.js';
import { healthKey } from './health-reporter.js';
import type { ScmAccess } from './scm-access.js';

interface AccessOptions {
  namespace: string;
  access: ScmAccess;
  webhookSecret: string;
}

export interface TenantOptions extends AccessOptions {
  dryBranch: string;
  branches: readonly string[];
  /** Keys of the checks that a proposed commit has to pass, by environment branch. */
  proposedKeys?: Readonly<Record<string, readonly string[]>> | undefined;
  /** If it is absent, nothing is reverted automatically. */
  revertPolicy?: PromotionStrategy['spec']['revertPolicy'] | undefined;
}

const fieldManager = 'stack';
const secretName = 'forge-app';
const strategyName = 'demo';
export const repositoryName = 'demo';
export const providerName = 'forge';

/**
 * Creates the objects of a team: the account at the SCM, the repository and the strategy. @returns the key of the
 * strategy.
 */
export async function createTenant(client: Client, options: TenantOptions): Promise<ObjectKey> {
  const { namespace } = options;
  await ensureNamespace(client, namespace);
  await createAccess(client, options);
  await apply(client, PromotionStrategy, namespace, strategyName, {
    repoRef: { name: repositoryName },
    dryBranch: options.dryBranch,
    activeCommitStatuses: [{ key: healthKey }],
    environments: options.branches.map((branch) => {
      const keys = options.proposedKeys?.[branch];
      return { branch, ...(keys && { proposedCommitStatuses: keys.map((key) => ({ key })) }) };
    }),
    ...(options.revertPolicy && { revertPolicy: options.revertPolicy }),
  });
  return { namespace, name: strategyName };
}

/** Creates the account at the SCM and the GitRepository, named {@link repositoryName}. */
export async function createAccess(client: Client, options: AccessOptions): Promise<void> {
  const { namespace, access, webhookSecret } = options;
  await client.apply(
    Secret,
    {
      metadata: { name: secretName, namespace },
      stringData: { ...access.secret, webhookSecret },
    },
    { fieldManager },
  );
  await apply(client, ScmProvider, namespace, providerName, {
    secretRef: { name: secretName },
    [access.scm]: access.provider,
  });
  await apply(client, GitRepository, namespace, repositoryName, {
    scmProviderRef: { kind: ScmProvider.kind, name: providerName },
    [access.scm]: access.repository,
  });
}

/**
 * Requests a refresh of the remote, as the integration of a hydrator does, because SCMs do not send webhooks for notes.
 */
export async function requestRefresh(client: Client, strategy: ObjectKey, now: number): Promise<void> {
  const metadata = { annotations: { [annotations.refreshedAt]: new Date(now).toISOString() } };
  await client.patch(PromotionStrategy, strategy, { type: 'merge', patch: { metadata } }, { fieldManager });
}

async function apply(
  client: Client,
  kind: CustomKind,
  namespace: string,
  name: string,
  spec: Record<string, unknown>,
): Promise<void> {
  const configuration = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace },
    spec,
  };
  await client.apply(kind, configuration, { fieldManager });
}
