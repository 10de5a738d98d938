import { objectAt, objectsAt, textAt, textsAt, type KubeObject } from '../object.js';
import { checkLabel1035 } from '../registry/names.js';
import type { Resource } from '../registry/resource.js';
import { duplicate, invalid, notSupported, required } from '../schema/field-error.js';
import { boolean, int32, intOrString, list, listMap, map, object, string } from '../schema/dsl.js';
import type { Cause } from '../schema/types.js';
import { condition } from './meta/condition.js';
import { ageColumn, column, defineKind, nameColumn, wide } from './define.js';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

const port = object(
  {
    name: string('Name, needed when there are several.'),
    protocol: string({ description: 'TCP, UDP or SCTP.', default: 'TCP' }),
    appProtocol: string('What is spoken.'),
    port: int32('Port of the service.'),
    targetPort: intOrString('Number or name of the port of the pods.'),
    nodePort: int32('Port of every node.'),
  },
  { required: ['port'] },
);

const schema = object(
  {
    spec: object(
      {
        ports: {
          ...listMap(port, ['port', 'protocol'], 'Ports of the service.'),
          'x-kubernetes-patch-merge-key': 'port',
        },
        selector: { ...map(string(), 'Labels of the pods.'), 'x-kubernetes-map-type': 'atomic' },
        clusterIP: string('Address of the service, or None.'),
        clusterIPs: list(string(), 'Addresses of the service.'),
        type: string({ description: `${types.join(', ')}.`, default: 'ClusterIP' }),
        externalIPs: list(string(), 'Further addresses.'),
        sessionAffinity: string({ description: 'ClientIP or None.', default: 'None' }),
        sessionAffinityConfig: object({ clientIP: object({ timeoutSeconds: int32() }) }),
        loadBalancerIP: string(),
        loadBalancerSourceRanges: list(string()),
        loadBalancerClass: string(),
        allocateLoadBalancerNodePorts: boolean(),
        externalName: string('Name that stands for the service.'),
        externalTrafficPolicy: string(),
        internalTrafficPolicy: string('Cluster or Local.'),
        healthCheckNodePort: int32(),
        publishNotReadyAddresses: boolean('Whether pods that are not ready count.'),
        ipFamilies: list(string()),
        ipFamilyPolicy: string(),
        trafficDistribution: string(),
      },
      { description: 'The desired state.', default: {} },
    ),
    status: object(
      {
        loadBalancer: object(
          { ingress: list(object({ ip: string(), hostname: string(), ipMode: string() })) },
          { default: {} },
        ),
        conditions: listMap(condition(), ['type']),
      },
      { description: 'The observed state.', default: {} },
    ),
  },
  'A name and address for a set of pods.',
);

function applyDefaults(o: KubeObject): void {
  const spec = objectAt(o, 'spec');
  for (const one of objectsAt(spec, 'ports')) one['targetPort'] ??= one['port'] ?? 0;
  const type = textAt(spec, 'type');
  if (type !== 'ExternalName') spec['internalTrafficPolicy'] ??= 'Cluster';
  if (type === 'NodePort' || type === 'LoadBalancer') spec['externalTrafficPolicy'] ??= 'Cluster';
  if (type === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
}

function validate(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  const type = textAt(spec, 'type');
  const ports = objectsAt(spec, 'ports');
  const causes: Cause[] = [];
  if (!types.includes(type)) causes.push(notSupported('spec.type', type, types));
  if (ports.length === 0 && type !== 'ExternalName' && textAt(spec, 'clusterIP') !== 'None') {
    causes.push(required('spec.ports'));
  }
  if (type === 'ExternalName' && textAt(spec, 'externalName') === '')
    causes.push(required('spec.externalName'));
  const names = new Set<string>();
  for (const [index, one] of ports.entries()) {
    const at = `spec.ports[${String(index)}]`;
    const name = textAt(one, 'name');
    if (ports.length > 1 && name === '') causes.push(required(`${at}.name`));
    if (name !== '' && names.has(name)) causes.push(duplicate(`${at}.name`, name));
    names.add(name);
    const number = one['port'];
    if (typeof number !== 'number' || number < 1 || number > 65535) {
      causes.push(invalid(`${at}.port`, number ?? 0, 'must be between 1 and 65535, inclusive'));
    }
    const protocol = textAt(one, 'protocol');
    const protocols = ['SCTP', 'TCP', 'UDP'];
    if (!protocols.includes(protocol)) causes.push(notSupported(`${at}.protocol`, protocol, protocols));
  }
  return causes;
}

const none = (text: string): string => (text === '' ? '<none>' : text);

function portsText(o: KubeObject): string {
  return none(
    objectsAt(o, 'spec', 'ports')
      .map(
        ({ port: number, nodePort, protocol }) =>
          `${String(number)}${nodePort === undefined ? '' : `:${String(nodePort)}`}/${String(protocol)}`,
      )
      .join(','),
  );
}

/** Returns the column EXTERNAL-IP. Source: Kubernetes pkg/printers/internalversion (getServiceExternalIP). */
function externalAddressText(o: KubeObject): string {
  const type = textAt(o, 'spec', 'type');
  if (type === 'ExternalName') return textAt(o, 'spec', 'externalName');
  const own = textsAt(o, 'spec', 'externalIPs');
  if (type !== 'LoadBalancer') return none(own.join(','));
  const balanced = objectsAt(o, 'status', 'loadBalancer', 'ingress').map(
    (ingress) => textAt(ingress, 'ip') || textAt(ingress, 'hostname'),
  );
  return [...balanced, ...own].join(',') || '<pending>';
}

function selectorText(o: KubeObject): string {
  return none(
    Object.entries(objectAt(o, 'spec', 'selector'))
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(','),
  );
}

/** v1 Service. */
export const serviceKind: Resource = defineKind({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  schema,
  fields: {
    'spec.clusterIP': (o) => textAt(o, 'spec', 'clusterIP'),
    'spec.type': (o) => textAt(o, 'spec', 'type'),
  },
  columns: [
    nameColumn,
    column('Type', 'How the service is reached.', (o) => textAt(o, 'spec', 'type')),
    column('Cluster-IP', 'Address inside the cluster.', (o) => none(textAt(o, 'spec', 'clusterIP'))),
    column('External-IP', 'Address outside.', externalAddressText),
    column('Port(s)', 'Ports of the service.', portsText),
    ageColumn,
    wide(column('Selector', 'Labels of the pods.', selectorText)),
  ],
  strategy: {
    checkName: checkLabel1035,
    status: true,
    defaults: applyDefaults,
    validate,
    prepareCreate: (o) => {
      o['status'] = { loadBalancer: {} };
    },
  },
});
