import type { Supervision } from './supervise.js';

/** The apps that can be started. */
export const apps = ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder'] as const;
export type AppName = (typeof apps)[number];

/** How the apps run: as Deployments of the cluster, or as processes of this machine outside of it. */
export const fleetModes = ['deployments', 'processes'] as const;
export type FleetMode = (typeof fleetModes)[number];

/** The apps, each with its own service account. */
export interface Fleet {
  /** URLs at which apps accept webhooks: `http://127.0.0.1:<port>`. */
  readonly webhookUrls: Readonly<Record<'promoter' | 'gitops-responder', string>>;
  /** URL of the gates endpoint of the gate controller; undefined if it does not serve one. */
  readonly gatesUrl?: string | undefined;
  /**
   * Starts the apps. Afterwards, Deployments are available, and processes have been started.
   *
   * @param print receives a line for each available app
   */
  start(print?: (line: string) => void): Promise<void>;
  /** Stops the apps, which can be started again. */
  stop(): Promise<void>;
  /** Stops the apps permanently, unless they end with the cluster. */
  close(): Promise<void>;
  /** Returns the metrics of an app in the Prometheus text format. @throws Error while the app does not respond */
  metrics(app: AppName): Promise<string>;
  /** Returns whether an app is ready. */
  ready(app: AppName): Promise<boolean>;
  /** Returns the log of an app since its last start, or the log before that start. */
  log(app: AppName): Promise<string>;
  /** Reports apps that exit unexpectedly. Returns a function that stops reporting. */
  supervise(supervision: Supervision): () => void;
}
