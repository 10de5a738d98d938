import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import {
  anyObject,
  boolean,
  dateTime,
  int32,
  list,
  listMap,
  map,
  object,
  quantity,
  setList,
  string,
} from '../schema/dsl.js';
import { condition } from './meta/condition.js';
import { ageColumn, column, defineKind, nameColumn, wide } from './define.js';

const nodeInfo = object(
  {
    architecture: string(),
    bootID: string(),
    containerRuntimeVersion: string(),
    kernelVersion: string(),
    kubeProxyVersion: string(),
    kubeletVersion: string(),
    machineID: string(),
    operatingSystem: string(),
    osImage: string(),
    systemUUID: string(),
  },
  { description: 'What the node runs.', default: {} },
);

const schema = object(
  {
    spec: object(
      {
        podCIDR: string('Addresses of pods.'),
        podCIDRs: setList(string()),
        providerID: string('Id at the provider.'),
        unschedulable: boolean('Whether new pods are kept off.'),
        taints: list(
          object(
            { key: string(), value: string(), effect: string(), timeAdded: dateTime() },
            { required: ['key', 'effect'] },
          ),
          'Which pods are kept off.',
        ),
      },
      { description: 'The desired state.', default: {} },
    ),
    status: object(
      {
        capacity: map(quantity(), 'All there is.'),
        allocatable: map(quantity(), 'What pods can use.'),
        conditions: listMap(
          { ...condition(), properties: { ...condition().properties, lastHeartbeatTime: dateTime() } },
          ['type'],
          'State in detail.',
        ),
        addresses: listMap(object({ type: string(), address: string() }, { required: ['type', 'address'] }), [
          'type',
        ]),
        daemonEndpoints: object({ kubeletEndpoint: object({ Port: int32() }) }, { default: {} }),
        nodeInfo,
        images: list(anyObject()),
        volumesInUse: list(string()),
        volumesAttached: list(anyObject()),
      },
      { description: 'The observed state.', default: {} },
    ),
  },
  'A machine that runs pods.',
);

function statusText(o: KubeObject): string {
  const ready = objectsAt(o, 'status', 'conditions').find((one) => one['type'] === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return valueAt(o, 'spec', 'unschedulable') === true ? `${text},SchedulingDisabled` : text;
}

const role = 'node-role.kubernetes.io/';

function roles(o: KubeObject): string {
  const found = Object.keys(o.metadata.labels ?? {}).filter((label) => label.startsWith(role));
  return (
    found
      .map((label) => label.slice(role.length))
      .sort()
      .join(',') || '<none>'
  );
}

function address(type: string): (o: KubeObject) => string {
  return (o) =>
    textAt(objectsAt(o, 'status', 'addresses').find((one) => one['type'] === type) ?? {}, 'address') ||
    '<none>';
}

const info = (field: string) => (o: KubeObject) => textAt(o, 'status', 'nodeInfo', field);
const knownInfo = (field: string) => (o: KubeObject) => info(field)(o) || '<unknown>';

/** v1 Node. */
export const nodeKind: Resource = defineKind({
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  schema,
  fields: { 'spec.unschedulable': (o) => String(objectAt(o, 'spec')['unschedulable'] === true) },
  columns: [
    nameColumn,
    column('Status', 'Whether the node is ready.', statusText),
    column('Roles', 'Roles of the node.', roles),
    ageColumn,
    column('Version', 'Version of the kubelet.', info('kubeletVersion')),
    wide(column('Internal-IP', 'Address inside.', address('InternalIP'))),
    wide(column('External-IP', 'Address outside.', address('ExternalIP'))),
    wide(column('OS-Image', 'Operating system.', knownInfo('osImage'))),
    wide(column('Kernel-Version', 'Kernel.', knownInfo('kernelVersion'))),
    wide(column('Container-Runtime', 'Container runtime.', knownInfo('containerRuntimeVersion'))),
  ],
  strategy: { status: true },
});
