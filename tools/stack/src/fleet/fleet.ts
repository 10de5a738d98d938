import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@interlock/kube';
import { AppProcess } from './app-process.js';
import { freePort } from './free-port.js';
import { admissionService } from './install-webhooks.js';
import { installIdentity } from './identity.js';
import {
  configNamespace,
  ensureNamespace,
  systemNamespace,
  writeAppKubeconfig,
  type AdminKubeconfig,
} from './install.js';

export interface FleetOptions {
  client: Client;
  admin: AdminKubeconfig;
  /** Folder for kubeconfigs, caches and logs. */
  folder: string;
  /** Variables for the apps beside PATH. */
  env?: Record<string, string>;
  /**
   * Has apps serve their admission webhooks and endpoints, each at an address of `Fleet.serviceUrls`; whoever starts the
   * fleet leads the API server there and installs the webhook configurations.
   */
  services?: boolean;
  /** More arguments by app. */
  args?: Record<string, readonly string[]>;
}

/** The apps that run so far. */
export const apps = ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder'] as const;
export type AppName = (typeof apps)[number];

/** The apps as processes of their own, each with its own service account. */
export interface Fleet {
  readonly processes: Record<AppName, AppProcess>;
  /** Where apps take webhooks: `http://127.0.0.1:<port>`. */
  readonly webhookUrls: Readonly<Record<'promoter' | 'gitops-responder', string>>;
  /** With `services`, by the name of the Service: where it leads, such as `https://127.0.0.1:<port>`. */
  readonly serviceUrls: ReadonlyMap<string, string>;
  start(): void;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** @returns the metrics of an app, in Prometheus' text format. @throws Error while it does not answer. */
  metrics(app: AppName): Promise<string>;
  /** @returns whether the app says that it is ready. */
  ready(app: AppName): Promise<boolean>;
}

/**
 * Gives every app its identity and prepares its process. Nothing runs yet. The responder is not ready before there is a
 * GitOpsResponderConfig that it can use (`createResponderConfig`).
 */
export async function createFleet(options: FleetOptions): Promise<Fleet> {
  const { client, admin, folder } = options;
  await ensureNamespace(client, configNamespace);
  const ports = new Map<string, number>();
  const processes = {} as Record<AppName, AppProcess>;
  const webhookPorts = { promoter: await freePort(), responder: await freePort() };
  const services = new Map<string, string>();
  const gateArgs = options.services === true ? await serveGates(services) : [];
  for (const app of apps) {
    await installIdentity(client, app);
    const home = join(folder, app);
    await mkdir(home, { recursive: true });
    const kubeconfig = join(home, 'kubeconfig');
    await writeAppKubeconfig(client, admin, { namespace: systemNamespace, name: app }, kubeconfig);
    const port = await freePort();
    ports.set(`${app}/metrics`, port);
    ports.set(`${app}/health`, await freePort());
    processes[app] = new AppProcess({
      app,
      logFile: join(home, 'log'),
      ...(options.env && { env: options.env }),
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${systemNamespace}`,
        `--metrics-bind-address=127.0.0.1:${port}`,
        `--health-probe-bind-address=127.0.0.1:${ports.get(`${app}/health`)}`,
        ...(app === 'promoter' ? promoterArgs(home, webhookPorts.promoter) : []),
        ...(app === 'gate-controller' ? gateArgs : []),
        ...(app === 'gitops-responder' ? responderArgs(webhookPorts.responder) : []),
        ...(options.args?.[app] ?? []),
      ],
    });
  }
  const every = Object.values(processes);
  const fetchFrom = (app: AppName, listener: string, path: string) =>
    fetch(`http://127.0.0.1:${ports.get(`${app}/${listener}`)}${path}`);
  return {
    processes,
    webhookUrls: {
      promoter: `http://127.0.0.1:${webhookPorts.promoter}`,
      'gitops-responder': `http://127.0.0.1:${webhookPorts.responder}`,
    },
    serviceUrls: services,
    start: () => {
      for (const process of every) process.start();
    },
    stop: async () => void (await Promise.all(every.map((process) => process.stop()))),
    kill: async () => void (await Promise.all(every.map((process) => process.kill()))),
    metrics: async (app) => (await fetchFrom(app, 'metrics', '/metrics')).text(),
    ready: async (app) => {
      const answer = await fetchFrom(app, 'health', '/readyz').catch(() => undefined);
      return answer?.ok ?? false;
    },
  };
}

function responderArgs(webhookPort: number): string[] {
  return [
    `--config-namespace=${configNamespace}`,
    '--cluster-id=demo',
    '--cluster-name=demo',
    /* An open pull request is looked at often: a demo does not wait for a minute. */
    '--poll-interval=1s',
    `--webhook-bind-address=127.0.0.1:${webhookPort}`,
  ];
}

function promoterArgs(home: string, webhookPort: number): string[] {
  return [
    `--cache-dir=${join(home, 'cache')}`,
    `--webhook-bind-address=127.0.0.1:${webhookPort}`,
    '--allow-http',
  ];
}

/** Adds the Services of the gate controller. @returns the arguments that it serves them with. */
async function serveGates(services: Map<string, string>): Promise<string[]> {
  const [admission, gates] = [await freePort(), await freePort()];
  services.set(admissionService('gate-controller'), `https://127.0.0.1:${admission}`);
  services.set('gate-controller-gates', `http://127.0.0.1:${gates}`);
  return [`--admission-bind-address=127.0.0.1:${admission}`, `--gates-bind-address=127.0.0.1:${gates}`];
}
