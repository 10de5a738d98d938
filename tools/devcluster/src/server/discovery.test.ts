import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt } from '../object.js';
import { crds, gadgetDefinition, useCluster } from '../testing/harness.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const api = useCluster();

describe('discovery', () => {
  it('lists the groups in the order of a real API server, and then the groups of custom resources', async () => {
    await api.create(crds, gadgetDefinition());
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

  it('contains the emulated version and the oldest compatible version', async () => {
    expect((await api.get('/version')).body).toMatchObject({
      major: '1',
      minor: '36',
      emulationMajor: '1',
      emulationMinor: '36',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '35',
    });
  });

  it('serves OpenAPI v2 without kinds, including as protobuf', async () => {
    const version = 'v1.36.0+devcluster';
    const info = { title: 'Kubernetes', version };
    expect((await api.get('/openapi/v2')).body).toEqual({
      swagger: '2.0',
      info,
      paths: {},
      definitions: {},
    });
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const { headers, text } = await api.get('/openapi/v2', { accept });
    expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(text).toBe(`\n\x032.0\x12 \n\nKubernetes\x12\x12${version}B\0`);
  });

  it('reports an unknown resource for any body', async () => {
    const contentType = 'application/vnd.kubernetes.protobuf';
    const { status, body } = await api.create('/apis/batch/v1/namespaces/default/cronjobs', 'x', {
      contentType,
    });
    expect([status, body['message']]).toEqual([404, 'the server could not find the requested resource']);
  });
});
