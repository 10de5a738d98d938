import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import { expectInvalid } from '../suite/invalid.js';
import { asTable, create } from '../suite/reading.js';
import type { Table } from '../suite/table.js';

const policies = (namespace: string): string =>
  `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;

function policy(name: string, spec: Readonly<Record<string, unknown>>): object {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name },
    spec: { podSelector: {}, ...spec },
  };
}

export const networkPolicies = defineGroup(
  'network-policies',
  { source: 'https://kubernetes.io/docs/concepts/services-networking/network-policies/' },
  (rule) => {
    rule('restricts incoming connections by default, and outgoing ones if there are rules', async (scope) => {
      const typesOf = async (spec: Readonly<Record<string, unknown>>): Promise<unknown> =>
        (await create(scope, policies(scope.namespace), policy(scope.name('policy'), spec))).spec?.[
          'policyTypes'
        ];
      expect(await typesOf({})).toEqual(['Ingress']);
      expect(await typesOf({ ingress: [{}] })).toEqual(['Ingress']);
      expect(await typesOf({ egress: [{}] })).toEqual(['Ingress', 'Egress']);
      expect(await typesOf({ egress: [{}], policyTypes: ['Egress'] })).toEqual(['Egress']);
    });

    rule('takes TCP for the protocol of a port', async (scope) => {
      const ports = [{ port: 80 }, { port: 'dns', protocol: 'UDP' }, { port: 8000, endPort: 8080 }];
      const created = await create(
        scope,
        policies(scope.namespace),
        policy(scope.name('policy'), { ingress: [{ ports }] }),
      );
      expect(created.spec?.['ingress']).toEqual([
        {
          ports: [
            { port: 80, protocol: 'TCP' },
            { port: 'dns', protocol: 'UDP' },
            { port: 8000, endPort: 8080, protocol: 'TCP' },
          ],
        },
      ]);
    });

    rule('makes a new generation at each apply of an empty list, which it does not store', async (scope) => {
      const name = scope.name('policy');
      const path = `${policies(scope.namespace)}/${name}`;
      const apply = async (spec: Readonly<Record<string, unknown>>): Promise<number | undefined> => {
        const { body } = await scope.api.apply(path, 'one', policy(name, spec));
        expect(body.spec).not.toHaveProperty('ingress');
        return body.metadata.generation;
      };
      const policyTypes = ['Ingress'];
      expect(await apply({ policyTypes })).toBe(1);
      scope.deleteAfterwards(path);
      expect(await apply({ policyTypes })).toBe(1);
      expect(await apply({ policyTypes, ingress: [] })).toBe(2);
      expect(await apply({ policyTypes, ingress: [] })).toBe(3);
    });

    rule('refuses ports and ranges of ports that are not valid', async (scope) => {
      const ports = [
        { port: 0 },
        { port: 'no_name' },
        { port: 90, endPort: 80 },
        { port: 'web', endPort: 80 },
        { endPort: 80 },
        { port: 80, protocol: 'HTTP' },
      ];
      const wrong = policy(scope.name('policy'), { egress: [{ ports }] });
      const refused = await scope.api.post(policies(scope.namespace), wrong);
      const path = 'spec.egress[0].ports';
      expectInvalid(refused, {
        [`${path}[0].port`]: 'FieldValueInvalid',
        [`${path}[1].port`]: 'FieldValueInvalid',
        [`${path}[2].endPort`]: 'FieldValueInvalid',
        [`${path}[3].endPort`]: 'FieldValueInvalid',
        [`${path}[4].endPort`]: 'FieldValueInvalid',
        [`${path}[5].protocol`]: 'FieldValueNotSupported',
      });
      expect(refused.body.message).toContain('must be greater than or equal to `port`');
    });

    rule('refuses peers that name nobody, or addresses and pods at once', async (scope) => {
      const from = [{}, { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }];
      const refused = await scope.api.post(
        policies(scope.namespace),
        policy(scope.name('policy'), { ingress: [{ from }] }),
      );
      expectInvalid(refused, {
        'spec.ingress[0].from[0]': 'FieldValueRequired',
        'spec.ingress[0].from[1]': 'FieldValueForbidden',
      });
    });

    rule('refuses blocks of addresses that are not valid, and exceptions outside of them', async (scope) => {
      const to = [
        { ipBlock: { cidr: '' } },
        { ipBlock: { cidr: '10.0.0.0' } },
        { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '11.0.0.0/16', '10.0.0.0/8', 'ten'] } },
        { ipBlock: { cidr: 'fd00::/8', except: ['fd01::/16'] } },
      ];
      const refused = await scope.api.post(
        policies(scope.namespace),
        policy(scope.name('policy'), { egress: [{ to }] }),
      );
      const path = 'spec.egress[0].to';
      expectInvalid(refused, {
        [`${path}[0].ipBlock.cidr`]: 'FieldValueRequired',
        [`${path}[1].ipBlock.cidr`]: 'FieldValueInvalid',
        [`${path}[2].ipBlock.except[1]`]: 'FieldValueInvalid',
        [`${path}[2].ipBlock.except[2]`]: 'FieldValueInvalid',
        [`${path}[2].ipBlock.except[3]`]: 'FieldValueInvalid',
      });
      expect(refused.body.details?.causes).toHaveLength(5);
      expect(refused.body.message).toContain('must be a strict subset of `cidr`');
    });

    rule('refuses unknown types of policies', async (scope) => {
      const wrong = policy(scope.name('policy'), { policyTypes: ['Ingress', 'Both'] });
      expectInvalid(await scope.api.post(policies(scope.namespace), wrong), {
        'spec.policyTypes[1]': 'FieldValueNotSupported',
      });
    });

    rule('raises the generation of a policy with its spec', async (scope) => {
      const name = scope.name('policy');
      await create(scope, policies(scope.namespace), policy(name, {}));
      const path = `${policies(scope.namespace)}/${name}`;
      const labelled = await scope.api.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
      expect(labelled.body.metadata.generation).toBe(1);
      const changed = await scope.api.patch(path, 'merge', { spec: { ingress: [{}] } });
      expect(changed.body.metadata.generation).toBe(2);
    });

    rule('shows the pods of a policy in a table', async (scope) => {
      const selector = {
        matchLabels: { app: 'web' },
        matchExpressions: [{ key: 'tier', operator: 'Exists' }],
      };
      for (const [podSelector, shown] of [
        [{}, '<none>'],
        [selector, 'app=web,tier'],
      ] as const) {
        const name = scope.name('policy');
        await create(scope, policies(scope.namespace), policy(name, { podSelector }));
        const { body } = await scope.api.get(`${policies(scope.namespace)}/${name}`, { accept: asTable });
        const table = body as unknown as Table;
        expect(table.columnDefinitions.map((one) => one.name)).toEqual(['Name', 'Pod-Selector', 'Age']);
        expect(table.rows?.[0]?.cells.slice(0, 2)).toEqual([name, shown]);
      }
    });
  },
);
