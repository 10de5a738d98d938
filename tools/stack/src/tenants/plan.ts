import { actionsGatewayGroup, type ActionsGatewaySpec } from '@interlock/api';
import { enterpriseAddress } from '@interlock/charts';
import type { ApplyConfiguration } from '@interlock/kube';

/** The GitHub Enterprise Server. */
export const gitHubHost = 'github.example.com';
/** A server that no tenant may reach. */
export const otherHost = { name: 'intranet.example.com', address: '127.0.0.3' } as const;

/** The entries of the DNS of the company. */
export const hosts: Readonly<Record<string, string>> = {
  [gitHubHost]: enterpriseAddress,
  [otherHost.name]: otherHost.address,
};

/** A tenant of the scenario. */
export interface PlannedTenant {
  namespace: string;
  /** Owner of its repositories at GitHub. */
  account: string;
  /** Id of the installation of the GitHub App on the account. */
  installation: number;
  repository: string;
  securityProfile: ActionsGatewaySpec['securityProfile'];
  /** Durations of its jobs in milliseconds, in the order in which they are queued; the list repeats. */
  durations: readonly [number, ...number[]];
}

/** The tenant whose credential is rotated while its jobs run. */
export const rotated: PlannedTenant = {
  ...{ namespace: 'team-a', account: 'acme', installation: 1_001, repository: 'acme/web' },
  securityProfile: 'restricted',
  durations: [3_000, 5_000, 2_000, 6_000],
};

/** The tenant that is deleted after its jobs have ended, while the jobs of the other tenant run. */
export const deleted: PlannedTenant = {
  ...{ namespace: 'team-b', account: 'globex', installation: 1_002, repository: 'globex/shop' },
  securityProfile: 'baseline',
  durations: [3_000, 1_000],
};

export const tenants: readonly PlannedTenant[] = [rotated, deleted];

/** Names of the objects that each team creates in its namespace in addition to its ActionsGateway. */
export const own = {
  gateway: 'ci',
  secret: 'github-app',
  /** The Secret to which the credential is rotated. */
  nextSecret: 'github-app-2',
  caBundle: 'github-ca',
} as const;

/** The label by which the platform team marks a namespace as a tenant. */
export const tenantLabels = { 'actions-gateway.github.com/tenant': 'true' } as const;

/** Labels in `runs-on`. They are the same for both tenants, whose runners accept only jobs of their own account. */
export const runnerLabels = ['self-hosted', 'linux'];

/** Returns the manifest from which the gmc provisions a tenant. @param gitHub origin of the server */
export function gatewayManifest(tenant: PlannedTenant, gitHub: string): ApplyConfiguration {
  /* The jobs of the scenario only wait, so their runners request few resources. */
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '512Mi' } };
  return {
    apiVersion: `${actionsGatewayGroup}/v1alpha1`,
    kind: 'ActionsGateway',
    metadata: { name: own.gateway, namespace: tenant.namespace },
    spec: {
      gitHubAppRef: { name: own.secret },
      gitHubURL: `${gitHub}/${tenant.account}`,
      gitHubCABundleRef: { name: own.caBundle },
      securityProfile: tenant.securityProfile,
      proxy: { minReplicas: 1, maxReplicas: 2 },
      runnerGroups: [
        {
          name: 'linux',
          runnerLabels,
          maxListeners: 2,
          maxWorkers: 2,
          podTemplate: { spec: { containers: [{ name: 'runner', resources }] } },
        },
      ],
    },
  };
}
