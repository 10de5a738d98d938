import { hostname } from 'node:os';
import { systemClock } from '@interlock/base';
import {
  ClockSkew,
  createClient,
  createManager,
  EventRecorder,
  serverClock,
  type Manager,
} from '@interlock/kube';
import { createKubeMetrics } from '@interlock/kube/metrics';
import { booleanFlag, stringFlag, type Flags } from './flags/define.js';
import { workersCheck } from './process/workers-check.js';
import { runService, type ServiceContext, type ServiceDefinition, type ServiceFlags } from './service.js';

/** The flags that every service with controllers has. */
const controllerFlags = {
  kubeconfig: stringFlag({
    description:
      'Path of the kubeconfig file. Defaults to KUBECONFIG, then ~/.kube/config, then the service account of the pod.',
  }),
  leaderElect: booleanFlag({
    description: 'Whether only one replica, elected by a Lease, runs the controllers.',
    default: true,
  }),
  namespace: stringFlag({
    description: 'Namespace of the process, which contains its Lease.',
    default: 'interlock-system',
  }),
} as const satisfies Flags;

type ControllerFlags<F extends Flags> = F & typeof controllerFlags;

interface ControllerServiceContext<F extends Flags> extends ServiceContext<ControllerFlags<F>> {
  readonly manager: Manager;
  readonly events: EventRecorder;
  /** Identity of this replica. No other running replica has it, and a container that restarts in its pod keeps it. */
  readonly identity: string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** How far the clock of this machine is ahead of the clock of the API server. */
  readonly clockSkew: ClockSkew;
}

interface ControllerServiceDefinition<F extends Flags> extends Omit<ServiceDefinition<F>, 'run'> {
  /**
   * Name of the Lease, if several instances of the service may run in one namespace. Defaults to the name of the
   * service.
   */
  leaseName?(flags: ServiceFlags<F>): string;
  /**
   * Whether every replica runs the controllers, which share their objects by their own Leases. By default one replica
   * runs them all.
   */
  sharesByLeases?: boolean;
  /** Whether the clock of the manager has the time of the API server instead of the time of this machine. */
  usesServerTime?: boolean;
  /**
   * Adds controllers and servers; the manager runs once this function has resolved. Returns a function to call at the
   * end.
   */
  setup(context: ControllerServiceContext<F>): Promise<(() => Promise<void> | void) | undefined>;
}

/** Milliseconds to release the lease and to send the last events and spans. */
const cleanUpMs = 5_000;

/** Runs controllers as this process; see {@link runService}. The process is ready once the caches are synced. */
export async function runControllers<F extends Flags>(
  definition: ControllerServiceDefinition<F>,
): Promise<void> {
  await runService<ControllerFlags<F>>({
    ...definition,
    flags: { ...definition.flags, ...controllerFlags },
    run: (context) => runManager(definition, context),
  });
}

async function runManager<F extends Flags>(
  { name, setup, leaseName, sharesByLeases = false, usesServerTime = false }: ControllerServiceDefinition<F>,
  context: ServiceContext<ControllerFlags<F>>,
): Promise<void> {
  const { log, metrics: registry, tracer } = context;
  const flags = context.flags as ServiceFlags<typeof controllerFlags>;
  const metrics = createKubeMetrics(registry);
  const random = Math.random;
  const identity = `${hostname()}-${process.pid}`;
  const clockSkew = new ClockSkew();
  const client = createClient({
    kubeConfig: flags.kubeconfig,
    userAgent: name,
    metrics,
    clockSkew,
    defaultFieldManager: name,
    random,
  });
  const events = new EventRecorder({
    client,
    clock: systemClock,
    log,
    metrics,
    reporter: { controller: `interlock.dev/${name}`, instance: identity },
    random,
  });
  const manager = createManager({
    client,
    clock: usesServerTime ? serverClock(systemClock, clockSkew) : systemClock,
    log,
    metrics,
    cacheMetrics: metrics,
    events,
    tracer,
    random,
    gracePeriodMs: graceOfManager(flags.gracePeriod),
    ...(flags.leaderElect &&
      !sharesByLeases && {
        leaderElection: {
          leaseName: leaseName?.(context.flags) ?? name,
          namespace: flags.namespace,
          identity,
        },
      }),
  });
  context.addReadinessCheck('caches', () => manager.ready());
  context.addLivenessCheck('workers', workersCheck(manager, log));
  const finish = await setup({ ...context, manager, events, identity, random, clockSkew });
  try {
    await manager.run(context.signal);
  } finally {
    await finish?.();
    await client.close();
  }
}

/** Returns the part of the grace period for running work: at its end, the process exits whatever is left to do. */
function graceOfManager(gracePeriodMs: number): number {
  return Math.max(gracePeriodMs - cleanUpMs, gracePeriodMs / 2);
}
