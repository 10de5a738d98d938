import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@interlock/kube';
import { AppProcess } from './app-process.js';
import type { AdminKubeconfig, Namespaces } from '../cluster/cluster.js';
import { embeddedNamespaces } from '../cluster/embedded.js';
import { waitForAccess } from './effective-access.js';
import { apps, type AppName, type Fleet } from './fleet.js';
import { freePort } from './free-port.js';
import { installIdentity } from './identity.js';
import { ensureNamespace, writeAppKubeconfig } from './install.js';
import { supervise } from './supervise.js';

export interface ProcessFleetOptions {
  client: Client;
  admin: AdminKubeconfig;
  /** Default: the namespaces of an embedded cluster. */
  namespaces?: Namespaces | undefined;
  /** Folder for kubeconfigs, caches and logs. */
  folder: string;
  /** Environment variables of the apps in addition to PATH. */
  env?: Record<string, string>;
  /** Addresses on which the gate controller serves; the caller registers its webhooks (`installWebhooks`). */
  gateListeners?: GateListeners | undefined;
  /** URL of the forge, to which the apps may connect without TLS. By default, the apps require TLS. */
  forgeUrl?: string | undefined;
  /** Additional arguments, by app. */
  args?: Record<string, readonly string[]>;
}

/** Additional addresses on which the gate controller listens. */
export interface GateListeners {
  /** Address of its admission webhooks. */
  admission: BindAddress;
  /** Address of the gates endpoint. */
  gates: BindAddress;
}

interface BindAddress {
  /** Empty for all addresses. */
  host: string;
  port: number;
}

/** The apps as processes of this machine. */
export interface ProcessFleet extends Fleet {
  readonly processes: Record<AppName, AppProcess>;
  kill(): Promise<void>;
  /**
   * Returns the response of the liveness probe of an app: one line for each check. @throws Error while the app does not
   * respond
   */
  liveness(app: AppName): Promise<string>;
}

/**
 * Creates the identity of every app and prepares its process. Does not start the apps. The responder does not become
 * ready until a valid GitOpsResponderConfig exists (`createResponderConfig`).
 */
export async function createProcessFleet(options: ProcessFleetOptions): Promise<ProcessFleet> {
  const { client, admin, folder, namespaces = embeddedNamespaces } = options;
  await ensureNamespace(client, namespaces.config);
  const ports = new Map<string, number>();
  const processes = {} as Record<AppName, AppProcess>;
  const webhookPorts = { promoter: await freePort(), 'gitops-responder': await freePort() };
  for (const app of apps) {
    const grants = await installIdentity(client, app, namespaces);
    const home = join(folder, app);
    await mkdir(home, { recursive: true });
    const kubeconfig = join(home, 'kubeconfig');
    await writeAppKubeconfig(client, admin, { namespace: namespaces.system, name: app }, kubeconfig);
    await waitForAccess(kubeconfig, app, grants);
    const port = await freePort();
    ports.set(`${app}/metrics`, port);
    ports.set(`${app}/health`, await freePort());
    processes[app] = new AppProcess({
      app,
      logFile: join(home, 'log'),
      env: options.env,
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${namespaces.system}`,
        `--metrics-bind-address=127.0.0.1:${port}`,
        `--health-probe-bind-address=127.0.0.1:${ports.get(`${app}/health`)}`,
        ...ownArgs(app, options, { home, configNamespace: namespaces.config, webhookPorts }),
        ...(options.args?.[app] ?? []),
      ],
    });
  }
  const every = Object.values(processes);
  const fetchFrom = (app: AppName, listener: string, path: string) =>
    fetch(`http://127.0.0.1:${ports.get(`${app}/${listener}`)}${path}`);
  const stop = async () => void (await Promise.all(every.map((process) => process.stop())));
  return {
    processes,
    webhookUrls: {
      promoter: `http://127.0.0.1:${webhookPorts.promoter}`,
      'gitops-responder': `http://127.0.0.1:${webhookPorts['gitops-responder']}`,
    },
    gatesUrl: options.gateListeners && `http://127.0.0.1:${options.gateListeners.gates.port}`,
    start: () => {
      for (const process of every) process.start();
      return Promise.resolve();
    },
    stop,
    close: stop,
    kill: async () => void (await Promise.all(every.map((process) => process.kill()))),
    metrics: async (app) => (await fetchFrom(app, 'metrics', '/metrics')).text(),
    ready: async (app) => {
      const answer = await fetchFrom(app, 'health', '/readyz').catch(() => undefined);
      return answer?.ok ?? false;
    },
    log: (app) => readFile(processes[app].options.logFile, 'utf8'),
    supervise: (supervision) => supervise(every, supervision),
    liveness: async (app) => (await fetchFrom(app, 'health', '/healthz')).text(),
  };
}

interface Places {
  home: string;
  configNamespace: string;
  webhookPorts: Record<'promoter' | 'gitops-responder', number>;
}

/** Returns the arguments of an app in addition to the arguments that all apps have. */
function ownArgs(
  app: AppName,
  { forgeUrl, gateListeners }: ProcessFleetOptions,
  { home, configNamespace, webhookPorts }: Places,
): string[] {
  switch (app) {
    case 'promoter':
      return [...scmArgs(forgeUrl), ...promoterArgs(home, webhookPorts.promoter)];
    case 'gitops-responder':
      return [...scmArgs(forgeUrl), ...responderArgs(configNamespace, webhookPorts[app])];
    case 'commit-status-sync':
      return scmArgs(forgeUrl);
    case 'gate-controller':
      return gateArgs(gateListeners);
  }
}

function responderArgs(configNamespace: string, webhookPort: number): string[] {
  return [
    `--config-namespace=${configNamespace}`,
    '--cluster-id=demo',
    '--cluster-name=demo',
    /* Open pull requests are polled often, so that a demo does not wait for a minute. */
    '--poll-interval=1s',
    `--webhook-bind-address=127.0.0.1:${webhookPort}`,
  ];
}

function promoterArgs(home: string, webhookPort: number): string[] {
  return [`--cache-dir=${join(home, 'cache')}`, `--webhook-bind-address=127.0.0.1:${webhookPort}`];
}

function scmArgs(forgeUrl: string | undefined): string[] {
  return forgeUrl === undefined ? [] : ['--allow-http', `--scm-hosts=${new URL(forgeUrl).host}`];
}

function gateArgs(listeners: GateListeners | undefined): string[] {
  if (listeners === undefined) return [];
  const { admission, gates } = listeners;
  return [
    `--admission-bind-address=${admission.host}:${admission.port}`,
    `--gates-bind-address=${gates.host}:${gates.port}`,
  ];
}
