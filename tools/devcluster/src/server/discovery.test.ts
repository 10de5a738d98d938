import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt } from '../object.js';
import { CRDS, gadgetDefinition, useCluster } from '../testing/harness.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const api = useCluster();

describe('discovery', () => {
  it('names the groups of the API server in the order of a real one, and custom resources after them', async () => {
    await api.create(CRDS, gadgetDefinition());
    await api.until('/apis/test.dev/v1', ({ status }) => status === 200);
    const plain = objectsAt((await api.get('/apis')).body, 'groups').map((group) => textAt(group, 'name'));
    expect(plain).toEqual([
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'autoscaling',
      'batch',
      'networking.k8s.io',
      'policy',
      'rbac.authorization.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'scheduling.k8s.io',
      'coordination.k8s.io',
      'discovery.k8s.io',
      'test.dev',
    ]);
    const { body } = await api.get('/apis', { accept: aggregated });
    expect(objectsAt(body, 'items').map((group) => textAt(group, 'metadata', 'name'))).toEqual(plain);
  });

  it('states the version that it emulates and the oldest one that it is compatible with', async () => {
    expect((await api.get('/version')).body).toMatchObject({
      major: '1',
      minor: '36',
      emulationMajor: '1',
      emulationMinor: '36',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '35',
    });
  });
});
