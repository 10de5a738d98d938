import type { Supervision } from './supervise.js';

/** The apps that run so far. */
export const apps = ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder'] as const;
export type AppName = (typeof apps)[number];

/** How the apps run: as Deployments of the cluster, or as processes of this machine beside it. */
export const fleetModes = ['deployments', 'processes'] as const;
export type FleetMode = (typeof fleetModes)[number];

/** The apps, each with its own service account. */
export interface Fleet {
  /** Where apps take webhooks: `http://127.0.0.1:<port>`. */
  readonly webhookUrls: Readonly<Record<'promoter' | 'gitops-responder', string>>;
  /** Where the gate controller answers for gates; absent: nowhere. */
  readonly gatesUrl?: string | undefined;
  /** Starts the apps. Deployments are available afterwards, processes are started. @param print takes each that is available */
  start(print?: (line: string) => void): Promise<void>;
  /** Ends the apps, which may start again. */
  stop(): Promise<void>;
  /** Ends the apps for good, or leaves that to the cluster. */
  close(): Promise<void>;
  /** Returns the metrics of an app, in Prometheus' text format. @throws Error while it does not answer. */
  metrics(app: AppName): Promise<string>;
  /** Returns whether an app is ready. */
  ready(app: AppName): Promise<boolean>;
  /** Returns what an app has logged since its last start, or before. */
  log(app: AppName): Promise<string>;
  /** Reports apps that end by themselves. Returns what ends that. */
  supervise(supervision: Supervision): () => void;
}
