import { trace, type Tracer } from '@opentelemetry/api';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Logger } from 'pino';
import { UsageError, durationFlag, enumFlag, type Flags, type FlagValues } from './flags/define.js';
import { parseFlags, type Environment } from './flags/parse.js';
import { addressFlag, type BindAddress } from './http/address.js';
import { Probe, type Check } from './http/probes.js';
import { startServer, type RunningServer, type ServerOptions } from './http/server.js';
import { createLogger, logLevels } from './logging/logger.js';
import { Lifecycle } from './process/lifecycle.js';
import { serveOperations } from './process/operations.js';
import { startTelemetry } from './telemetry/telemetry.js';

/** The flags that every service has. */
export const commonFlags = {
  metricsBindAddress: addressFlag({
    description: 'Where /metrics is served; 0 switches it off.',
    default: ':8080',
  }),
  healthProbeBindAddress: addressFlag({
    description: 'Where /healthz and /readyz are served; 0 switches them off.',
    default: ':8081',
  }),
  gracePeriod: durationFlag({ description: 'Time to finish after SIGTERM or SIGINT.', default: '25s' }),
  logLevel: enumFlag({ description: 'The least severe lines to log.', values: logLevels, default: 'info' }),
} as const satisfies Flags;

/** The values of a service's own flags and of the common ones. */
export type ServiceFlags<F extends Flags> = FlagValues<F> & FlagValues<typeof commonFlags>;

type OptionalServer = Omit<ServerOptions, 'address'> & { address: BindAddress | undefined };

/** What a service works with while it runs. */
export interface ServiceContext<F extends Flags> {
  readonly flags: ServiceFlags<F>;
  readonly log: Logger;
  /** Served on /metrics; has the process's own metrics already. */
  readonly metrics: Registry;
  readonly tracer: Tracer;
  /** Aborts when the service is to stop. */
  readonly signal: AbortSignal;
  /** The service is not ready while the check fails. */
  addReadinessCheck(name: string, check: Check): void;
  /** The service is restarted when the check keeps failing. */
  addLivenessCheck(name: string, check: Check): void;
  /** Serves routes on a port of their own until `run` has ended; with an address that switches them off, nothing. */
  serve(options: OptionalServer): Promise<RunningServer | undefined>;
}

export interface ServiceDefinition<F extends Flags> {
  /** Names the program in the help, the log (`component`) and the traces. */
  name: string;
  description: string;
  version: string;
  flags: F;
  /** Of the flags' twins in the environment. Default `INTERLOCK_`. */
  environmentPrefix?: string;
  /** Runs until the work is done or `signal` aborts; what it throws otherwise ends the process with code 1. */
  run(context: ServiceContext<F>): Promise<void>;
}

/**
 * Runs a service as this process, and ends the process: code 0 when `run` ended by itself or within the grace period after SIGTERM or SIGINT; 1 when it
 * failed, took too long, got a second signal, or an error was caught by nobody; 2 when the command line cannot be used.
 */
export async function runService<F extends Flags>(
  definition: ServiceDefinition<F>,
  argv: readonly string[] = process.argv.slice(2),
  env: Environment = process.env,
): Promise<void> {
  const flags = readFlags(definition, argv, env);
  if (flags === undefined) return;
  const log = createLogger({ component: definition.name, level: flags.logLevel });
  const lifecycle = new Lifecycle(log, flags.gracePeriod);
  lifecycle.watchProcess();
  await lifecycle.run((signal) => runUntil(definition, flags, log, env, signal));
}

function readFlags<F extends Flags>(
  definition: ServiceDefinition<F>,
  argv: readonly string[],
  env: Environment,
) {
  try {
    const parsed = parseFlags({ ...definition, flags: { ...definition.flags, ...commonFlags } }, argv, env);
    if ('values' in parsed) return parsed.values as ServiceFlags<F>;
    process.stdout.write(parsed.text);
    process.exitCode = 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${definition.name}: ${error.message}\n`);
    process.exitCode = 2;
  }
  return undefined;
}

async function runUntil<F extends Flags>(
  { name, version, run }: ServiceDefinition<F>,
  flags: ServiceFlags<F>,
  log: Logger,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  const telemetry = await startTelemetry(name, version, env);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const liveness = new Probe();
  const readiness = new Probe();
  readiness.add('running', () => !signal.aborted);
  const operations = await serveOperations(flags, { metrics, liveness, readiness }, log);
  const servers: RunningServer[] = [];
  try {
    await run({
      flags,
      log,
      metrics,
      tracer: trace.getTracer(name, version),
      signal,
      addReadinessCheck: (check, test) => readiness.add(check, test),
      addLivenessCheck: (check, test) => liveness.add(check, test),
      serve: async ({ address, ...options }) => {
        if (address === undefined) return undefined;
        const server = await startServer({ ...options, address }, log);
        servers.push(server);
        return server;
      },
    });
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await telemetry.stop().catch((error: unknown) => log.warn({ error }, 'the last spans were not sent'));
    await Promise.all(operations.map((server) => server.close()));
  }
}
