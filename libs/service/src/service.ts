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
const commonFlags = {
  metricsBindAddress: addressFlag({
    description: 'Address at which /metrics is served; 0 disables it.',
    default: ':8080',
  }),
  healthProbeBindAddress: addressFlag({
    description: 'Address at which /healthz and /readyz are served; 0 disables them.',
    default: ':8081',
  }),
  gracePeriod: durationFlag({ description: 'Time to finish after SIGTERM or SIGINT.', default: '25s' }),
  logLevel: enumFlag({ description: 'Minimum level of log lines.', values: logLevels, default: 'info' }),
} as const satisfies Flags;

/** The values of a service's own flags and of the common flags. */
export type ServiceFlags<F extends Flags> = FlagValues<F> & FlagValues<typeof commonFlags>;

type OptionalServer = Omit<ServerOptions, 'address'> & { address: BindAddress | undefined };

/** The environment of a running service. */
export interface ServiceContext<F extends Flags> {
  readonly flags: ServiceFlags<F>;
  readonly log: Logger;
  /** Served on /metrics; it already has the metrics of the process. */
  readonly metrics: Registry;
  readonly tracer: Tracer;
  /** Aborts when the service must stop. */
  readonly signal: AbortSignal;
  /** Adds a check; the service is not ready while it fails. */
  addReadinessCheck(name: string, check: Check): void;
  /** Adds a check; the service is restarted if it keeps failing. */
  addLivenessCheck(name: string, check: Check): void;
  /** Serves routes on a separate port until `run` has ended; if the address disables them, nothing is served. */
  serve(options: OptionalServer): Promise<RunningServer | undefined>;
}

export interface ServiceDefinition<F extends Flags> {
  /** Name of the program in the help, the log (`component`) and the traces. */
  name: string;
  description: string;
  version: string;
  flags: F;
  /** Prefix of the environment variables of the flags. Default: `INTERLOCK_`. */
  environmentPrefix?: string;
  /** Runs until the work is done or `signal` aborts. Any other error ends the process with code 1. */
  run(context: ServiceContext<F>): Promise<void>;
}

/**
 * Runs a service as this process, and ends the process. The exit code is 0 if `run` ended by itself or within the grace
 * period after SIGTERM or SIGINT; 1 if it failed, took too long, received a second signal, or an error was not caught;
 * 2 if the command line is invalid, also if `run` reports it by a UsageError.
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
