import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { asTable, create } from '../../suite/reading.js';
import { slices } from '../../suite/services.js';
import type { Table } from '../../suite/table.js';

function slice(name: string, fields: Readonly<Record<string, unknown>> = {}): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'] }],
    ports: [{ name: 'http', port: 80 }],
    ...fields,
  };
}

/** Declares the rules about Endpoints and EndpointSlices that a client writes. */
export function objectRules(rule: Rule): void {
  rule('stores an EndpointSlice with TCP as the protocol of its ports', async (scope) => {
    const name = scope.name('slice');
    const created = await create(scope, slices(scope.namespace), slice(name));
    expect(created).toMatchObject({ ports: [{ name: 'http', port: 80, protocol: 'TCP' }] });
    expect(created.metadata.generation).toBe(1);
  });

  rule(
    'refuses EndpointSlices without addresses, with others than its type and with a name twice',
    async (scope) => {
      const refused = await scope.api.post(
        slices(scope.namespace),
        slice(scope.name('slice'), {
          endpoints: [{ addresses: [] }, { addresses: ['fd00::1'] }],
          ports: [{ name: 'a' }, { name: 'a' }, { name: 'b', protocol: 'HTTP' }],
        }),
      );
      expectInvalid(refused, {
        'endpoints[0].addresses': 'FieldValueRequired',
        'endpoints[1].addresses': 'FieldValueInvalid',
        'ports[1].name': 'FieldValueDuplicate',
        'ports[2].protocol': 'FieldValueNotSupported',
      });
    },
  );

  rule('keeps the addressType of an EndpointSlice', async (scope) => {
    const name = scope.name('slice');
    await create(scope, slices(scope.namespace), slice(name, { endpoints: [] }));
    const patch = { addressType: 'IPv6' };
    const refused = await scope.api.patch(`${slices(scope.namespace)}/${name}`, 'merge', patch);
    expectInvalid(refused, { addressType: 'FieldValueInvalid' });
  });

  rule('refuses Endpoints without addresses and with ports out of range', async (scope) => {
    const endpoints = (subsets: object[]): object => ({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: scope.name('endpoints') },
      subsets,
    });
    expectInvalid(await scope.api.post(scope.core('endpoints'), endpoints([{ ports: [{ port: 80 }] }])), {
      'subsets[0]': 'FieldValueRequired',
    });
    const wrong = { addresses: [{ ip: 'web' }], ports: [{ name: 'a', port: 0 }, { port: 65536 }] };
    expectInvalid(await scope.api.post(scope.core('endpoints'), endpoints([wrong])), {
      'subsets[0].addresses[0].ip': 'FieldValueInvalid',
      'subsets[0].ports[0].port': 'FieldValueInvalid',
      'subsets[0].ports[1].name': 'FieldValueRequired',
    });
  });

  rule('warns a client that reads Endpoints', async (scope) => {
    const { warnings } = await scope.api.get(scope.core('endpoints'));
    expect(warnings).toEqual(['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']);
  });

  rule('shows addresses and ports of an EndpointSlice in a table', async (scope) => {
    const name = scope.name('slice');
    const many = ['10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4', '10.1.0.5'];
    const endpoints = many.map((address) => ({ addresses: [address] }));
    await create(scope, slices(scope.namespace), slice(name, { endpoints }));
    const { body } = await scope.api.get(`${slices(scope.namespace)}/${name}`, { accept: asTable });
    const table = body as unknown as Table;
    const names = table.columnDefinitions.map((one) => one.name);
    expect(names).toEqual(['Name', 'AddressType', 'Ports', 'Endpoints', 'Age']);
    const shown = '10.1.0.1,10.1.0.2,10.1.0.3 + 2 more...';
    expect(table.rows?.[0]?.cells.slice(0, 4)).toEqual([name, 'IPv4', '80', shown]);
  });
}
