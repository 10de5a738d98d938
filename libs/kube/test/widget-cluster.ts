import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import type { Condition, Kind, KubeObject } from '@interlock/api';
import { parse } from 'yaml';
import { createClient } from '../src/client/client.js';
import { CustomResourceDefinition, Namespace } from '../src/client/kinds.js';
import type { Client } from '../src/client/types.js';
import { until } from '../src/testing/until.js';

/** A kind for tests, with generations and a status. */
export interface Widget extends KubeObject {
  spec: { size: number };
  status?: { size?: number; conditions?: Condition[] };
}

export const Widget: Kind<Widget> = {
  group: 'test.interlock.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

export const definition = {
  metadata: { name: `${Widget.plural}.${Widget.group}` },
  spec: {
    group: Widget.group,
    scope: 'Namespaced',
    names: { kind: Widget.kind, listKind: 'WidgetList', plural: Widget.plural, singular: 'widget' },
    versions: [
      {
        name: Widget.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

export const namespace = 'shop';

export interface WidgetCluster {
  cluster: DevCluster;
  /** The client of the test. */
  client: Client;
  /** Returns another client, like the client of a separate process. */
  connect(): Client;
  createWidget(name: string, size?: number): Promise<Widget>;
  close(): Promise<void>;
}

/** Starts an API server that serves Widgets and has the namespace `shop`. */
export async function startWidgetCluster(): Promise<WidgetCluster> {
  const cluster = await startDevCluster();
  const kubeConfig: object = parse(cluster.kubeconfig);
  const clients: Client[] = [];
  const connect = (): Client => {
    const client = createClient({ kubeConfig, userAgent: 'kube-test', defaultFieldManager: 'test' });
    clients.push(client);
    return client;
  };
  const client = connect();
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(CustomResourceDefinition, definition);
  await until(() =>
    client.list(Widget).then(
      () => true,
      () => false,
    ),
  );
  return {
    cluster,
    client,
    connect,
    createWidget: (name, size = 1) =>
      client.create(Widget, { metadata: { name, namespace }, spec: { size } }),
    async close() {
      await Promise.all(clients.map((each) => each.close()));
      await cluster.close();
    },
  };
}
