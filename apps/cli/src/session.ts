import type { Command } from 'commander';
import { Option } from 'commander';
import { ClockSkew, createClient, type Client } from '@interlock/kube';
import { durationFlag } from './duration.js';
import type { Io } from './io.js';
import { formats, type Format } from './output/print.js';
import { progressOn, type Progress } from './output/progress.js';

export interface ClusterOptions {
  namespace?: string;
  context?: string;
  kubeconfig?: string;
  as?: string;
  asGroup?: string[];
  timeout: string;
  output?: Format;
}

/** One run of a command against a cluster. */
export interface Session {
  io: Io;
  client: Client;
  namespace: string;
  format: Format;
  progress: Progress;
  /** Ends at Ctrl-C, and when the time of `--timeout` is over. */
  signal: AbortSignal;
  /** Returns the time by the clock of the API server, as far as an answer has shown it; ms since the epoch. */
  serverNow: () => number;
}

const defaultNamespace = 'flux-system';
const manager = 'interlock-cli';

/** Adds the flags of commands over gates; they are Flux's. */
export function withCluster(command: Command): Command {
  return withConnection(
    command.option(
      '-n, --namespace <name>',
      `namespace of the gate (default ${defaultNamespace}, or FLUX_SYSTEM_NAMESPACE)`,
    ),
  );
}

/** Adds the flags that all commands have which talk to a cluster; they are Flux's. */
export function withConnection(command: Command): Command {
  return command
    .option('--context <name>', 'context of the kubeconfig')
    .option('--kubeconfig <path>', 'the kubeconfig (default KUBECONFIG, or ~/.kube/config)')
    .option('--as <user>', 'act as this user')
    .option('--as-group <group>', 'act as a member of this group; may be repeated', collect)
    .option('--timeout <duration>', 'how long to try', '5m');
}

/** Adds `-o`. */
export function withOutput(command: Command): Command {
  const output = new Option('-o, --output <format>', 'how to print').choices(formats).default('table');
  return command.addOption(output);
}

/** Returns the values of a flag that may be repeated. */
export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Runs `work` with a client for the cluster, which is closed afterwards. */
export async function inSession<T>(
  io: Io,
  options: ClusterOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const timeoutMs = durationFlag('--timeout', options.timeout);
  const { kubeconfig, context, as, asGroup } = options;
  const clockSkew = new ClockSkew();
  const client = createClient({
    clockSkew,
    ...(kubeconfig !== undefined && { kubeConfig: kubeconfig }),
    ...(context !== undefined && { context }),
    ...(as !== undefined && { impersonate: { user: as, ...(asGroup && { groups: asGroup }) } }),
    userAgent: manager,
    defaultFieldManager: manager,
  });
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new Error(`no result within ${options.timeout} (--timeout)`)),
    timeoutMs,
  );
  try {
    return await work({
      io,
      client,
      namespace: options.namespace ?? io.env['FLUX_SYSTEM_NAMESPACE'] ?? defaultNamespace,
      format: options.output ?? 'table',
      progress: progressOn(io),
      signal: AbortSignal.any([io.signal, over.signal]),
      serverNow: () => io.now() - (clockSkew.ms ?? 0),
    });
  } finally {
    clearTimeout(timer);
    await client.close();
  }
}
