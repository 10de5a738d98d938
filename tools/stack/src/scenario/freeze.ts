import { CommitStatus, Gate, GateBinding, GateKeeper, GateOverride, labels } from '@interlock/api';
import { fluxKinds } from '../foreign/kinds.js';
import type { Stack } from '../stack.js';
import { signoffScenario } from './bypass-signoff.js';
import { waitFor } from '../wait-for.js';
import type { Print } from './narrator.js';
import type { Prepared } from './revert.js';
import type { Scenario } from './step.js';

interface Change {
  title: string;
  prepare: () => Promise<Prepared>;
}

/** The changes of a scenario with a change freeze. */
interface FreezePlot {
  base: Scenario;
  now: () => number;
  /** The change before the freeze. */
  before: Change;
  /** The change during the freeze. */
  held: Change;
}

const key = 'prod-deployment-freeze';
const gate = 'change-freeze';
const fieldManager = 'team';
const hourMs = 3_600_000;

/**
 * Creates a scenario in which the last environment requires the CommitStatus of a gate. A change before the freeze
 * passes. The next change is held by the freeze, until an override with an expiry lets it through. Then the examples of
 * the Flux proposal run.
 */
export function freezeScenario({ base, now, before, held }: FreezePlot): Scenario {
  const last = base.stack.environments.at(-1)?.branch ?? '';
  return {
    ...base,
    title: `${base.title}; a change freeze holds ${last}`,
    stack: { ...base.stack, proposedKeys: { [last]: [key] } },
    needs: { kinds: Object.values(fluxKinds), clusterRoleBindings: [] },
    steps: [
      {
        title: `${before.title} (before the freeze)`,
        push: async (remote, stack) => {
          await createGate(stack);
          await (await before.prepare()).push(remote);
        },
      },
      {
        title: `${held.title} (in the freeze)`,
        held: last,
        push: async (remote, stack) => {
          await freeze(stack, now());
          await (await held.prepare()).push(remote);
        },
        check: async (stack, print, signal) => {
          const problems = await isHeld(stack, print, last, signal);
          await override(stack, print, signal);
          return problems;
        },
      },
      {
        title: 'the working examples of Flux RFC 3158: change-freeze, bypass-signoff and a GitRepository',
        push: () => Promise.resolve(),
        check: (stack, print, signal) => signoffScenario(stack, print, now, signal),
      },
    ],
  };
}

async function createGate({ client, strategy: { namespace = '' } }: Stack): Promise<void> {
  const metadata = { namespace, name: gate };
  const spec = { closed: false, description: 'no releases around the end of the year' };
  await client.apply(Gate, { metadata, spec }, { fieldManager });
  const binding = { mode: 'CommitStatus', commitStatus: { key }, refs: [{ name: gate }] };
  await client.apply(GateBinding, { metadata, spec: binding }, { fieldManager });
}

/** Creates a freeze that began a minute ago and lasts two hours. */
async function freeze(stack: Stack, now: number): Promise<void> {
  const at = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  const window = { from: at(now - 60_000), to: at(now + 2 * hourMs), description: 'End of the year' };
  const { client } = stack;
  const metadata = { namespace: stack.strategy.namespace ?? '', name: 'end-of-year' };
  const spec = { gate, type: 'schedule', schedule: { closed: [window] } };
  await client.apply(GateKeeper, { metadata, spec }, { fieldManager });
  await waitFor(`the gate ${gate} closes`, async () => (await stateOf(stack)) === 'Closed');
}

async function stateOf({ client, strategy: { namespace = '' } }: Stack): Promise<string | undefined> {
  return (await client.get(Gate, { namespace, name: gate })).status?.state;
}

/** Returns the problems if the last environment was not held. */
async function isHeld(stack: Stack, print: Print, branch: string, signal: AbortSignal): Promise<string[]> {
  const { client, strategy } = stack;
  const { environments = [] } = stack.strategies.get(strategy)?.status ?? {};
  const [first, last] = [environments.at(0), environments.find((one) => one.branch === branch)];
  const { items } = await client.list(CommitStatus, {
    namespace: strategy.namespace ?? '',
    labelSelector: `${labels.commitStatusKey}=${key}`,
  });
  const status = items.find(({ spec }) => spec.sha === last?.proposed?.hydratedSHA);
  print(`  gate: ${key} is ${status?.spec.phase ?? 'missing'}: ${status?.spec.description ?? ''}`);
  signal.throwIfAborted();
  return [
    ...(last?.active?.drySHA === first?.active?.drySHA
      ? [`${branch} runs the change during the freeze`]
      : []),
    ...(status?.spec.phase === 'in_progress' ? [] : [`${key} does not hold ${branch}`]),
  ];
}

/** Opens the gate for ten minutes. */
async function override(stack: Stack, print: Print, signal: AbortSignal): Promise<void> {
  const { client, strategy } = stack;
  const namespace = strategy.namespace ?? '';
  const name = 'cake-is-urgent';
  const reason = 'The oven is hot: signed off by Bob the baker';
  const spec = { gateRef: { name: gate }, effect: 'Open', reason, ticket: 'INC-42', duration: '10m' };
  await client.create(GateOverride, { metadata: { namespace, name }, spec });
  const { status } = await waitFor(`the override opens ${gate}`, async () => {
    signal.throwIfAborted();
    const opened = await client.get(Gate, { namespace, name: gate });
    return opened.status?.cause === `GateOverride/${name}` && opened.status.state === 'Open'
      ? opened
      : undefined;
  });
  print(
    `  gate: ${gate} is open until ${status?.next?.at ?? 'further notice'} (${status?.cause ?? ''}): ${reason}`,
  );
}
