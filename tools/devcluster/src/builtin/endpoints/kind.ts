import { objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { int32, list, object, string } from '../../schema/dsl.js';
import { required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { shortList } from './columns.js';
import { validateAddress, validatePort } from './validation.js';
import { objectReference } from '../meta/references.js';

const address = object(
  {
    ip: string('Address of the endpoint.'),
    hostname: string('Name of the endpoint.'),
    nodeName: string('Node of the endpoint.'),
    targetRef: { ...objectReference, description: 'The object behind the address.' },
  },
  { required: ['ip'], 'x-kubernetes-map-type': 'atomic' },
);

const port = object(
  {
    name: string('Name of the port.'),
    port: int32('Number of the port.'),
    protocol: string({ description: 'UDP, TCP or SCTP.', default: 'TCP' }),
    appProtocol: string('Application protocol.'),
  },
  { required: ['port'], 'x-kubernetes-map-type': 'atomic' },
);

const schema = object(
  {
    subsets: list(
      object({
        addresses: list(address, 'Addresses that are ready.'),
        notReadyAddresses: list(address, 'Addresses that are not ready.'),
        ports: list(port, 'Ports of each address.'),
      }),
      'Groups of addresses with the same ports.',
    ),
  },
  'Addresses of the pods behind a Service.',
);

function validate(o: KubeObject): Cause[] {
  return objectsAt(o, 'subsets').flatMap((subset, index) =>
    validateSubset(subset, `subsets[${String(index)}]`),
  );
}

function validateSubset(subset: JsonObject, path: string): Cause[] {
  const [ready, notReady, ports] = ['addresses', 'notReadyAddresses', 'ports'].map((field) =>
    objectsAt(subset, field),
  ) as [JsonObject[], JsonObject[], JsonObject[]];
  if (ready.length === 0 && notReady.length === 0) {
    return [required(path, 'must specify `addresses` or `notReadyAddresses`')];
  }
  const each = (field: string, items: readonly JsonObject[]): Cause[] =>
    items.flatMap((one, index) =>
      validateAddress(textAt(one, 'ip'), `${path}.${field}[${String(index)}].ip`),
    );
  return [
    ...each('addresses', ready),
    ...each('notReadyAddresses', notReady),
    ...ports.flatMap((one, index) =>
      validatePort(one, `${path}.ports[${String(index)}]`, { isNamed: ports.length > 1 }),
    ),
  ];
}

function endpointsText(o: KubeObject): string {
  const subsets = objectsAt(o, 'subsets');
  if (subsets.length === 0) return '<none>';
  return shortList(
    subsets.flatMap((subset) => {
      const addresses = objectsAt(subset, 'addresses').map((one) => textAt(one, 'ip'));
      const ports = objectsAt(subset, 'ports');
      if (ports.length === 0) return addresses;
      return ports.flatMap((one) =>
        addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${String(valueAt(one, 'port'))}`),
      );
    }),
  );
}

/** v1 Endpoints. */
export const endpoints: Resource = defineKind({
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  schema,
  columns: [nameColumn, column('Endpoints', 'Addresses and ports that are ready.', endpointsText), ageColumn],
  strategy: { validate },
});
