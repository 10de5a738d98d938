import { createClient, readClusterEntry, type Client } from '@interlock/kube';
import { Claim, remainsOf } from './claim.js';
import type { Cluster } from './cluster.js';
import { ownedClient } from './owned-client.js';
import { newRun, RefusedError, runNamespaces, selectorOf, type Run } from './ownership.js';
import { checkPlan, planOf, printPlan, type ScenarioNeeds } from './plan.js';
import { removeRuns, removeWebhooks, type Removal } from './removal.js';
import { retryingClient } from './retrying-client.js';

interface GivenClusterOptions {
  /** Kubeconfig file of a cluster administrator. */
  kubeconfig: string;
  /** Default: its current context. */
  context?: string | undefined;
  /** Host name or address at which the API server reaches this machine, for webhooks. */
  webhookHost: string;
  needs: ScenarioNeeds;
  /** Whether the objects of the run are kept at the end. */
  keeps: boolean;
  print: (line: string) => void;
  signal: AbortSignal;
  /** Called when the run must stop because it has lost its claim on the cluster. */
  onLost: (error: Error) => void;
}

/** An existing cluster of the user, in which all objects of the run are labeled, and deleted at the end. */
export interface GivenCluster extends Cluster {
  readonly embedded?: undefined;
  /** The objects that could not be deleted when the cluster was closed, one sentence each. */
  readonly problems: readonly string[];
}

type Connection = Pick<GivenClusterOptions, 'kubeconfig' | 'context'>;

/**
 * Claims a cluster for a run: prints the objects that are going to be created, deletes the objects of an earlier run of
 * the same user, and checks for conflicting objects. @throws RefusedError when the cluster cannot be used, in which
 * case the cluster is not changed
 */
export async function openGivenCluster(options: GivenClusterOptions): Promise<GivenCluster> {
  const { print, signal, webhookHost } = options;
  const run = newRun();
  const { context, server, cluster } = readClusterEntry(options.kubeconfig, options.context);
  const plan = await planOf(options.needs);
  print(`Cluster: ${server} (context ${context} of ${options.kubeconfig})`);
  print(
    `Creates these objects with the label ${selectorOf(run)}${options.keeps ? '' : ', and deletes them at the end'}:`,
  );
  printPlan(plan, webhookHost, print);
  const client = retryingClient(connectTo(options, 'stack'));
  try {
    await removeRemains(client, run, print, signal);
    await checkPlan(client, plan);
    signal.throwIfAborted();
    const claim = await Claim.take(client, run);
    claim.keepRenewed(options.onLost);
    const problems: string[] = [];
    return {
      url: server,
      admin: { clusters: [{ name: 'cluster', cluster }] },
      namespaces: runNamespaces,
      problems,
      connect: (name) => ownedClient(retryingClient(connectTo(options, name)), run),
      kubeconfigFile: () => ({ path: options.kubeconfig, context }),
      close: async () => {
        await claim.stop();
        problems.push(...(await end(client, claim, run, options)));
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * Deletes all objects that runs left in a cluster, including kept objects. Returns the objects that could not be
 * deleted. @throws RefusedError while a run is active
 */
export async function cleanGivenCluster(
  connection: Connection,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { context, server } = readClusterEntry(connection.kubeconfig, connection.context);
  print(`Cluster: ${server} (context ${context} of ${connection.kubeconfig})`);
  const client = retryingClient(connectTo(connection, 'stack'));
  try {
    await remainsOf(client, print, signal);
    return report(await removeRuns(client, selectorOf()), print);
  } finally {
    await client.close();
  }
}

/** Returns the command that deletes the kept objects of a run. */
export function cleanCommand({ kubeconfig, context }: Connection): string {
  return `npm start -- --kubeconfig ${kubeconfig}${context === undefined ? '' : ` --context ${context}`} --clean`;
}

function connectTo({ kubeconfig, context }: Connection, name: string): Client {
  return createClient({
    kubeConfig: kubeconfig,
    context,
    userAgent: name,
    defaultFieldManager: name,
  });
}

async function removeRemains(
  client: Client,
  run: Run,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const remains = await remainsOf(client, print, signal);
  if (remains === undefined) return;
  if (remains.kept && remains.user !== run.user) {
    throw new RefusedError(
      `the cluster contains the kept objects of a run of ${remains.user}: delete them with --clean, or use another cluster`,
    );
  }
  print(`Deletes the objects of an earlier run of ${remains.user}.`);
  const problems = report(await removeRuns(client, selectorOf()), print);
  if (problems.length > 0)
    throw new Error(`the objects of an earlier run cannot be deleted: ${problems.join('; ')}`);
}

async function end(
  client: Client,
  claim: Claim,
  run: Run,
  { keeps, print, ...connection }: GivenClusterOptions,
): Promise<readonly string[]> {
  const selector = selectorOf(run);
  if (!keeps) {
    print('Deletes the objects of the run in the cluster.');
    return report(await removeRuns(client, selector), print);
  }
  const { problems } = await removeWebhooks(client, selector);
  await claim.keep();
  print(`Kept in the cluster: everything with the label ${selector}, except the webhook configurations,`);
  print(
    'because the API server refuses the writes that they select while the app is not running. To delete the kept objects:',
  );
  print(`  ${cleanCommand(connection)}`);
  return problems;
}

function report({ removed, problems }: Removal, print: (line: string) => void): readonly string[] {
  const kinds = new Map<string, number>();
  for (const text of removed) {
    const [kind = ''] = text.split(' ');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const counts = [...kinds].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  if (counts.length > 0) print(`Removed: ${counts.join(', ')}.`);
  if (problems.length === 0) print('All objects of npm start are deleted from the cluster.');
  return problems;
}
