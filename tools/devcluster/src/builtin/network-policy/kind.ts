import { objectAt, objectsAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { int32, intOrString, list, object, string } from '../../schema/dsl.js';
import { labelSelectorRequirements, selectorText } from '../../selectors/labels.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { validateNetworkPolicy } from './validation.js';
import { labelSelector } from '../meta/label-selector.js';

const port = object({
  protocol: string('TCP, UDP or SCTP.'),
  port: intOrString('Number or name of a port of the pods.'),
  endPort: int32('Last number of a range that begins with port.'),
});

const peer = object({
  podSelector: { ...labelSelector, description: 'Pods, of the selected namespaces or else of this one.' },
  namespaceSelector: { ...labelSelector, description: 'Namespaces.' },
  ipBlock: object(
    { cidr: string('Addresses.'), except: list(string(), 'Addresses that are left out.') },
    { description: 'Addresses outside of the cluster.', required: ['cidr'] },
  ),
});

const schema = object(
  {
    spec: object(
      {
        podSelector: { ...labelSelector, description: 'Pods that the policy is for.', default: {} },
        ingress: list(
          object({ ports: list(port, 'Ports of the pods.'), from: list(peer, 'Who may connect.') }),
          'What may connect to the pods.',
        ),
        egress: list(
          object({ ports: list(port, 'Ports of the others.'), to: list(peer, 'Who may be connected to.') }),
          'What the pods may connect to.',
        ),
        policyTypes: list(string(), 'Ingress, Egress or both.'),
      },
      { description: 'The traffic that is allowed.', default: {} },
    ),
  },
  'States which connections of pods are allowed.',
);

/** Sets the defaults. Source: pkg/apis/networking/v1/defaults.go. */
function applyDefaults(o: KubeObject): void {
  const spec = objectAt(o, 'spec');
  for (const rule of [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')]) {
    for (const one of objectsAt(rule, 'ports')) one['protocol'] ??= 'TCP';
  }
  if (textsAt(spec, 'policyTypes').length > 0) return;
  spec['policyTypes'] = objectsAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

/** networking.k8s.io/v1 NetworkPolicy. */
export const networkPolicy: Resource = defineKind({
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  schema,
  columns: [
    nameColumn,
    column('Pod-Selector', 'Pods that the policy is for.', (o) => {
      const selector = selectorText(labelSelectorRequirements(objectAt(o, 'spec', 'podSelector')));
      return selector === '' ? '<none>' : selector;
    }),
    ageColumn,
  ],
  strategy: {
    generation: true,
    desired: (o) => valueAt(o, 'spec') ?? null,
    /* The strategy of the API server compares specs by reflect.DeepEqual (pkg/registry/networking/networkpolicy). */
    distinguishesEmptyLists: true,
    defaults: applyDefaults,
    validate: validateNetworkPolicy,
  },
});
