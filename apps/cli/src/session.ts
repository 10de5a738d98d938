import { TypedError } from '@interlock/api';
import { systemClock } from '@interlock/base';
import { Option, type Command } from 'commander';
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
  /** Aborts at Ctrl-C, and when `--timeout` has elapsed. */
  signal: AbortSignal;
  /** Returns the time by the clock of the API server, or by the local clock before its first answer; ms since the epoch. */
  serverNow: () => number;
}

const defaultNamespace = 'flux-system';
const manager = 'interlock-cli';

/** Adds the flags of commands for gates, with the names that Flux uses. */
export function withCluster(command: Command): Command {
  return withConnection(
    command.option(
      '-n, --namespace <name>',
      `namespace of the gate (default ${defaultNamespace}, or FLUX_SYSTEM_NAMESPACE)`,
    ),
  );
}

/** Adds the flags of all commands that access a cluster, with the names that Flux uses. */
export function withConnection(command: Command): Command {
  return command
    .option('--context <name>', 'context of the kubeconfig')
    .option('--kubeconfig <path>', 'kubeconfig file (default KUBECONFIG, or ~/.kube/config)')
    .option('--as <user>', 'impersonate this user')
    .option('--as-group <group>', 'impersonate this group; can be repeated', collect)
    .option('--timeout <duration>', 'time limit', '5m');
}

/** Adds `-o`. */
export function withOutput(command: Command): Command {
  const output = new Option('-o, --output <format>', 'output format').choices(formats).default('table');
  return command.addOption(output);
}

/** Returns the values of a repeatable flag. */
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
    kubeConfig: kubeconfig,
    context,
    impersonate: { user: as, groups: asGroup },
    userAgent: manager,
    defaultFieldManager: manager,
  });
  const over = new AbortController();
  const timer = systemClock.setTimeout(
    () => over.abort(new TypedError('Transient', `no result within ${options.timeout} (--timeout)`)),
    timeoutMs,
  );
  try {
    return await work({
      io,
      client,
      namespace: options.namespace ?? (io.env['FLUX_SYSTEM_NAMESPACE'] || defaultNamespace),
      format: options.output ?? 'table',
      progress: progressOn(io),
      signal: AbortSignal.any([io.signal, over.signal]),
      serverNow: () => io.now() - (clockSkew.ms ?? 0),
    });
  } finally {
    timer.cancel();
    await client.close();
  }
}
