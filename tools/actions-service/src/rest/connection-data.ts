/** The id of the tenant, in its URLs and in its connection data. */
export const tenantId = 'a1b2c3d4-0000-4000-8000-000000000001';

/** The resources of a tenant that the runner finds by these ids, which are constants of its source. */
const resources = [
  ['a8c47e17-4d56-4a56-92bb-de7ea7dc65be', 'pools', '_apis/{area}/{resource}/{poolId}'],
  ['e298ef32-5878-4cab-993c-043836571f42', 'agents', '_apis/{area}/pools/{poolId}/{resource}/{agentId}'],
] as const;

/** Returns the connection data of the tenant, in which the runner finds the paths of its resources. */
export function connectionData(): Record<string, unknown> {
  return {
    instanceId: tenantId,
    deploymentType: 'hosted',
    locationServiceData: {
      serviceOwner: tenantId,
      clientCacheFresh: false,
      clientCacheTimeToLive: 3_600,
      lastChangeId: 1,
      lastChangeId64: 1,
      serviceDefinitions: resources.map(([identifier, displayName, relativePath]) => ({
        serviceType: 'distributedtask',
        ...{ identifier, displayName, relativePath, serviceOwner: tenantId },
        ...{ resourceVersion: 1, minVersion: '1.0', maxVersion: '6.0', releasedVersion: '0.0' },
      })),
    },
  };
}
