import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runnerLabels, workloadComponent } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import type * as networking from 'kubernetes-types/networking/v1.js';
import { names } from '../src/render/names.js';
import { networkPolicies } from '../src/render/network-policies.js';
import { render } from '../src/render/render.js';
import { gatewayOf, tenantContext } from '../src/testing/builders.js';
import { Network, whyNoNetwork, type Host, type Protocol } from './harness/network/network.js';
import { nftRules, type NetworkPod } from './harness/network/nft-rules.js';

const reason = whyNoNetwork();
if (reason !== undefined) process.stdout.write(`skipped: NetworkPolicies in force: ${reason}\n`);

const api = '172.20.0.1';
const github = '140.82.121.4';
const githubV6 = '2606:50c0::4';
const elsewhere = '203.0.113.7';
const elsewhereV6 = '2001:db8::7';
const metadataServer = '169.254.169.254';
const dns = '10.0.0.53';
const dnsOfOpenshift = '10.0.2.53';
const proxy = '10.0.0.4';

/** Returns the labels of the pods of a rendered Deployment. */
function labelsOfPods(name: string): Record<string, string> {
  const rendered = render(gatewayOf(), tenantContext).find(
    ({ kind, configuration }) => kind.kind === 'Deployment' && configuration.metadata.name === name,
  );
  const { template } = rendered?.configuration['spec'] as { template: core.PodTemplateSpec };
  return template.metadata?.labels ?? {};
}

const worker = { [runnerLabels.component]: workloadComponent, [runnerLabels.runnerGroup]: 'gateway-linux' };
const kubeSystem = { 'kubernetes.io/metadata.name': 'kube-system' };
const openshiftDns = { 'kubernetes.io/metadata.name': 'openshift-dns' };
const namespaces = { 'team-a': {}, 'team-b': {}, 'kube-system': kubeSystem, 'openshift-dns': openshiftDns };

/** Every pod of the test, by name. */
const pods = {
  worker: { namespace: 'team-a', labels: worker, addresses: ['10.0.0.2', 'fd00::2'] },
  controller: {
    ...{ namespace: 'team-a', labels: labelsOfPods(names.controller) },
    ...{ addresses: ['10.0.0.3', 'fd00::3'], ports: { metrics: 8080, probes: 8081 } },
  },
  proxy: {
    ...{ namespace: 'team-a', labels: labelsOfPods(names.proxy) },
    ...{ addresses: [proxy, 'fd00::4'], ports: { proxy: 8080, probes: 8081 } },
  },
  neighbour: { namespace: 'team-b', labels: worker, addresses: ['10.0.1.2', 'fd00::1:2'] },
  dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, addresses: [dns] },
  openshift: {
    namespace: 'openshift-dns',
    labels: { 'dns.operator.openshift.io/daemonset-dns': 'default' },
    addresses: [dnsOfOpenshift],
  },
} satisfies Record<string, NetworkPod>;
type Place = keyof typeof pods | 'outside';

/** A connection, and the expected effect of the policies of a tenant. The protocol is TCP by default. */
const table: readonly (readonly [
  from: Place,
  to: string,
  port: number,
  isOpen: boolean,
  protocol?: Protocol,
])[] = [
  ['worker', proxy, 8080, true],
  ['worker', 'fd00::4', 8080, true],
  ['worker', dns, 53, true, 'UDP'],
  ['worker', dns, 8053, true, 'UDP'],
  ['worker', dns, 9153, false],
  ['worker', dnsOfOpenshift, 5353, true, 'UDP'],
  ['worker', api, 443, false],
  ['worker', api, 6443, false],
  ['worker', github, 443, false],
  ['worker', githubV6, 443, false],
  ['worker', elsewhere, 443, false],
  ['worker', elsewhereV6, 443, false],
  ['worker', elsewhere, 443, false, 'UDP'],
  ['worker', elsewhere, 53, false, 'UDP'],
  ['worker', metadataServer, 80, false],
  ['worker', proxy, 8081, false],
  ['worker', '10.0.0.3', 8080, false],
  ['worker', '10.0.1.2', 9000, false],
  ['controller', proxy, 8080, true],
  ['controller', api, 6443, true],
  ['controller', elsewhere, 80, false],
  ['controller', '10.0.0.2', 9000, false],
  ['proxy', github, 443, true],
  ['proxy', githubV6, 443, true],
  ['proxy', dns, 53, true, 'UDP'],
  ['proxy', dnsOfOpenshift, 5353, true, 'UDP'],
  ['proxy', elsewhere, 443, false],
  ['proxy', elsewhereV6, 443, false],
  ['proxy', api, 443, false],
  ['proxy', metadataServer, 80, false],
  ['neighbour', proxy, 8080, false],
  ['neighbour', '10.0.0.2', 9000, false],
  ['neighbour', '10.0.0.3', 8080, true],
  ['outside', proxy, 8081, true],
  ['outside', proxy, 8080, false],
  ['outside', '10.0.0.2', 9000, false],
];

(reason === undefined ? describe : describe.skip)(
  'the NetworkPolicies of a tenant, in force between network namespaces',
  () => {
    let network: Network;
    const hosts = new Map<Place, Host>();
    const at = (place: Place): Host => {
      const host = hosts.get(place);
      if (host === undefined) throw new Error(`there is no ${place}`);
      return host;
    };

    beforeAll(async () => {
      network = await Network.start();
      for (const [name, { addresses }] of Object.entries(pods))
        hosts.set(name as Place, await network.add(name, ...addresses));
      const far = [api, github, githubV6, elsewhere, elsewhereV6, metadataServer, '10.0.9.9'];
      hosts.set('outside', await network.add('outside', ...far));
      for (const port of [53, 80, 443, 6443]) await at('outside').listen(port);
      for (const port of [53, 443]) await at('outside').listen(port, 'UDP');
      for (const port of [53, 8053]) await at('dns').listen(port, 'UDP');
      await at('dns').listen(9153);
      await at('openshift').listen(5353, 'UDP');
      await at('proxy').relay(8080, github, 443);
      for (const place of ['proxy', 'controller'] as const) await at(place).listen(8081);
      await at('controller').listen(8080);
      for (const place of ['worker', 'neighbour'] as const) await at(place).listen(9000);
    });
    afterAll(() => network.close());

    /** Returns the result of each connection of the table, `open` or the code of an error. */
    const tried = () =>
      Promise.all(
        table.map(async ([from, to, port, , protocol = 'TCP']) => [
          `${from} ${protocol} ${to}:${port}`,
          await at(from).reach(to, port, protocol),
        ]),
      );

    it('allow what a tenant needs and refuse all other connections, all of which are open without them', async () => {
      expect(await tried()).toEqual(
        table.map(([from, to, port, , protocol = 'TCP']) => [`${from} ${protocol} ${to}:${port}`, 'open']),
      );
      const policies = networkPolicies(gatewayOf(), tenantContext).map(({ configuration }) => ({
        namespace: 'team-a',
        spec: configuration['spec'] as networking.NetworkPolicySpec,
      }));
      for (const [name, pod] of Object.entries(pods))
        await at(name as Place).run(
          ['nft', '-f', '-'],
          nftRules(pod, { policies, pods: Object.values(pods), namespaces }),
        );
      expect(await tried()).toEqual(
        table.map(([from, to, port, isOpen, protocol = 'TCP']) => [
          `${from} ${protocol} ${to}:${port}`,
          isOpen ? 'open' : expect.stringMatching(/^(EHOSTUNREACH|EACCES)$/),
        ]),
      );
    });
  },
);
