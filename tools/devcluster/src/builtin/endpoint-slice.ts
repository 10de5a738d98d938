import { isIPv4, isIPv6 } from 'node:net';
import { objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../object.js';
import { checkLabel, checkSubdomain } from '../registry/names.js';
import type { Resource } from '../registry/resource.js';
import { boolean, int32, list, map, object, setList, string } from '../schema/dsl.js';
import { duplicate, invalid, notSupported, required, tooMany } from '../schema/field-error.js';
import type { Cause, JsonObject } from '../schema/types.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';
import { shortList } from './endpoints/columns.js';
import { validateAddress, validateProtocol } from './endpoints/validation.js';
import { objectReference } from './meta/references.js';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;

const endpoint = object(
  {
    addresses: setList(string(), 'Addresses of the endpoint.'),
    conditions: object(
      {
        ready: boolean('Whether the endpoint takes new connections.'),
        serving: boolean('Whether the endpoint answers, also while it is going.'),
        terminating: boolean('Whether the endpoint is going.'),
      },
      { description: 'State of the endpoint.', default: {} },
    ),
    hostname: string('Name of the endpoint.'),
    targetRef: { ...objectReference, description: 'The object behind the endpoint.' },
    deprecatedTopology: map(string(), 'Topology of v1beta1.'),
    nodeName: string('Node of the endpoint.'),
    zone: string('Zone of the endpoint.'),
    hints: object({
      forZones: list(object({ name: string() }, { required: ['name'] }), 'Zones that use the endpoint.'),
      forNodes: list(object({ name: string() }, { required: ['name'] }), 'Nodes that use the endpoint.'),
    }),
  },
  { required: ['addresses'] },
);

const port = object(
  {
    name: string({ description: 'Name of the port.', default: '' }),
    protocol: string({ description: 'UDP, TCP or SCTP.', default: 'TCP' }),
    port: int32('Number of the port.'),
    appProtocol: string('Application protocol.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const schema = object(
  {
    addressType: string('IPv4, IPv6 or FQDN; cannot be changed.'),
    endpoints: list(endpoint, 'The endpoints.'),
    ports: list(port, 'Ports of each endpoint.'),
  },
  { description: 'A part of the endpoints of a Service.', required: ['addressType', 'endpoints'] },
);

function validate(o: KubeObject): Cause[] {
  const type = textAt(o, 'addressType');
  const endpoints = objectsAt(o, 'endpoints');
  const ports = objectsAt(o, 'ports');
  const names = new Set<string>();
  return [
    ...validateType(type),
    ...(endpoints.length > maxEndpoints ? [tooMany('endpoints', endpoints.length, maxEndpoints)] : []),
    ...endpoints.flatMap((one, index) => validateEndpoint(one, type, `endpoints[${String(index)}]`)),
    ...(ports.length > maxPorts ? [tooMany('ports', ports.length, maxPorts)] : []),
    ...ports.flatMap((one, index) => validatePort(one, names, `ports[${String(index)}]`)),
  ];
}

function validateType(type: string): Cause[] {
  if (type === '') return [required('addressType')];
  return addressTypes.includes(type) ? [] : [notSupported('addressType', type, addressTypes)];
}

function validateEndpoint(one: JsonObject, type: string, path: string): Cause[] {
  const addresses = textsAt(one, 'addresses');
  const hostname = textAt(one, 'hostname');
  const wrong = hostname === '' ? undefined : checkLabel(hostname);
  return [
    ...(addresses.length === 0
      ? [required(`${path}.addresses`, 'must contain at least 1 address')]
      : addresses.length > maxAddresses
        ? [tooMany(`${path}.addresses`, addresses.length, maxAddresses)]
        : []),
    ...addresses.flatMap((address, index) => validateTyped(address, type, `${path}.addresses`, index)),
    ...(wrong === undefined ? [] : [invalid(`${path}.hostname`, hostname, wrong)]),
  ];
}

/* The cause of an address of the other family does not contain its index. */
function validateTyped(address: string, type: string, list: string, index: number): Cause[] {
  const field = `${list}[${String(index)}]`;
  if (type === 'FQDN') {
    const wrong = checkSubdomain(address);
    return wrong === undefined ? [] : [invalid(field, address, wrong)];
  }
  if (type === 'IPv4' && isIPv6(address)) return [invalid(list, address, 'must be an IPv4 address')];
  if (type === 'IPv6' && isIPv4(address)) return [invalid(list, address, 'must be an IPv6 address')];
  return addressTypes.includes(type) ? validateAddress(address, field) : [];
}

function validatePort(one: JsonObject, names: Set<string>, path: string): Cause[] {
  const name = textAt(one, 'name');
  const wrong = name === '' ? undefined : checkLabel(name);
  const twice = names.has(name);
  names.add(name);
  return [
    ...(wrong === undefined ? [] : [invalid(`${path}.name`, name, wrong)]),
    ...(twice ? [duplicate(`${path}.name`, name)] : []),
    ...validateProtocol(textAt(one, 'protocol'), `${path}.protocol`),
  ];
}

function portsText(o: KubeObject): string {
  const ports = objectsAt(o, 'ports').map((one) => {
    const number = valueAt(one, 'port');
    return typeof number === 'number' ? String(number) : textAt(one, 'name') || '*';
  });
  return shortList(ports) || '<unset>';
}

/** discovery.k8s.io/v1 EndpointSlice. */
export const endpointSlice: Resource = defineKind({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  schema,
  columns: [
    nameColumn,
    column('AddressType', 'Kind of the addresses.', (o) => textAt(o, 'addressType')),
    column('Ports', 'Ports of the endpoints.', portsText),
    column(
      'Endpoints',
      'Addresses of the endpoints.',
      (o) => shortList(objectsAt(o, 'endpoints').flatMap((one) => textsAt(one, 'addresses'))) || '<unset>',
    ),
    ageColumn,
  ],
  strategy: {
    generation: true,
    desired: (o) => [o['addressType'] ?? null, o['endpoints'] ?? null, o['ports'] ?? null],
    validate,
    validateUpdate: (o, old) =>
      textAt(o, 'addressType') === textAt(old, 'addressType')
        ? []
        : [invalid('addressType', textAt(o, 'addressType'), 'field is immutable')],
  },
});
