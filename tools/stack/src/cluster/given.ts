import { createClient, readClusterEntry, type Client } from '@interlock/kube';
import { Claim, remainsOf } from './claim.js';
import type { Cluster } from './cluster.js';
import { ownedClient } from './owned-client.js';
import { newRun, RefusedError, runNamespaces, selectorOf, type Run } from './ownership.js';
import { checkPlan, planOf, printPlan, type ScenarioNeeds } from './plan.js';
import { removeRuns, removeWebhooks, type Removal } from './removal.js';
import { retryingClient } from './retrying-client.js';

interface GivenClusterOptions {
  /** File with the rights of a cluster admin. */
  kubeconfig: string;
  /** Default: its current one. */
  context?: string | undefined;
  /** Of this machine, as the API server knows it, for webhooks. */
  webhookHost: string;
  needs: ScenarioNeeds;
  /** Whether what the run created stays at the end. */
  keeps: boolean;
  print: (line: string) => void;
  signal: AbortSignal;
  /** Called when the run may not go on, because its claim on the cluster is gone. */
  onLost: (error: Error) => void;
}

/** A cluster of the user's, in which everything that the run creates is labelled, and removed at the end. */
export interface GivenCluster extends Cluster {
  readonly embedded?: undefined;
  /** What could not be removed, when the cluster is closed; a sentence each. */
  readonly problems: readonly string[];
}

type Connection = Pick<GivenClusterOptions, 'kubeconfig' | 'context'>;

/**
 * Claims a cluster for a run: prints what is going to be created, removes what an earlier run of the same user left, and
 * checks that nothing is in the way.
 * @throws RefusedError when the cluster cannot be used as it is; then it is left as it is
 */
export async function openGivenCluster(options: GivenClusterOptions): Promise<GivenCluster> {
  const { print, signal, webhookHost } = options;
  const run = newRun();
  const { context, server, cluster } = readClusterEntry(options.kubeconfig, options.context);
  const plan = await planOf(options.needs);
  print(`Cluster: ${server} (context ${context} of ${options.kubeconfig})`);
  print(
    `Creates there, with the label ${selectorOf(run)}${options.keeps ? '' : ', and removes at the end'}:`,
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
 * Removes everything that runs left in a cluster, also what they were asked to keep. Returns what could not be removed.
 * @throws RefusedError while a run is under way
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

/** Returns the command that removes what a run kept. */
export function cleanCommand({ kubeconfig, context }: Connection): string {
  return `npm start -- --kubeconfig ${kubeconfig}${context === undefined ? '' : ` --context ${context}`} --clean`;
}

function connectTo({ kubeconfig, context }: Connection, name: string): Client {
  return createClient({
    kubeConfig: kubeconfig,
    ...(context !== undefined && { context }),
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
      `the cluster has what a run of ${remains.user} was asked to keep: remove it with --clean, or use another cluster`,
    );
  }
  print(`Removes what an earlier run of ${remains.user} left.`);
  const problems = report(await removeRuns(client, selectorOf()), print);
  if (problems.length > 0) throw new Error(`an earlier run cannot be removed: ${problems.join('; ')}`);
}

async function end(
  client: Client,
  claim: Claim,
  run: Run,
  { keeps, print, ...connection }: GivenClusterOptions,
): Promise<readonly string[]> {
  const selector = selectorOf(run);
  if (!keeps) {
    print('Removes what the run created in the cluster.');
    return report(await removeRuns(client, selector), print);
  }
  const { problems } = await removeWebhooks(client, selector);
  await claim.keep();
  print(`Kept in the cluster: everything with the label ${selector}, except the webhook configurations,`);
  print(
    'because the API server refuses the writes that they select while the app does not run. Remove it with',
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
  if (problems.length === 0) print('Nothing of npm start is left in the cluster.');
  return problems;
}
