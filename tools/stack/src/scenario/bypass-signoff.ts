import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Gate, GateBinding, GateKeeper, gatingGroup } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { kubeconfigFlags } from '../cluster/cluster.js';
import { ensureNamespace } from '../fleet/install.js';
import { SimulatedFlux } from '../foreign/flux.js';
import { installForeignKinds } from '../foreign/install.js';
import { fluxKinds, type ForeignObject } from '../foreign/kinds.js';
import { revisionOf } from '../foreign/revisions.js';
import { bundleOf } from '../paths.js';
import type { Stack } from '../stack.js';
import { waitFor } from '../wait-for.js';
import type { Print } from './narrator.js';
import { quoteProgram } from './quote-program.js';

/* The name of the GitRepository that `flux bootstrap` creates. */
const source = 'flux-system';
const fieldManager = 'flux';
const url = 'https://forge.example/fleet.git';
const reason = 'Patching a CVE: Signed off by Bob the builder';
const dayMs = 86_400_000;
const revision = (digit: string): string => `main@sha1:${digit.repeat(40)}`;

/**
 * Runs the example with two gates, of which at least one must be open so that a GitRepository can fetch a revision. A
 * GateKeeper currently keeps `change-freeze` closed. A user opens `bypass-signoff` and closes it again. @returns the
 * problems, one sentence each.
 */
export async function signoffScenario(
  stack: Stack,
  print: Print,
  now: () => number,
  signal: AbortSignal,
): Promise<string[]> {
  const { client } = stack;
  await installForeignKinds(client, Object.values(fluxKinds));
  await ensureNamespace(client, stack.cluster.namespaces.flux);
  const flux = new SimulatedFlux({ client, log: silentLog });
  flux.start();
  try {
    const scenario = new Signoff(stack, print, flux, signal);
    await scenario.prepare(now());
    await scenario.holds('a', 'b');
    await scenario.open();
    await scenario.takes('b');
    await scenario.close();
    await scenario.holds('b', 'c');
    return await scenario.problems();
  } finally {
    await flux.stop();
  }
}

class Signoff {
  readonly #stack: Stack;
  readonly #print: Print;
  readonly #flux: SimulatedFlux;
  readonly #signal: AbortSignal;

  constructor(stack: Stack, print: Print, flux: SimulatedFlux, signal: AbortSignal) {
    this.#stack = stack;
    this.#print = print;
    this.#flux = flux;
    this.#signal = signal;
  }

  get #namespace(): string {
    return this.#stack.cluster.namespaces.flux;
  }

  /** Applies the manifests of the proposal, with a window of today and tomorrow, and a binding for `spec.gates`. */
  async prepare(now: number): Promise<void> {
    const { client } = this.#stack;
    const namespace = this.#namespace;
    const target = { namespace, name: source };
    this.#flux.setHead(url, revision('a'));
    const spec = { url, ref: { branch: 'main' }, interval: '1m' };
    await client.apply(fluxKinds.GitRepository, { metadata: target, spec }, { fieldManager });
    await this.#wait(
      'the GitRepository fetches its first revision',
      async () => (await this.#revision()) === revision('a'),
    );
    for (const name of ['change-freeze', 'bypass-signoff']) {
      await client.apply(Gate, { metadata: { namespace, name }, spec: { closed: true } }, { fieldManager });
    }
    const closed = [now, now + dayMs].map((at) => {
      const day = new Date(at);
      return `* * ${day.getUTCDate()} ${day.getUTCMonth() + 1} *`;
    });
    const keeper = { gate: 'change-freeze', type: 'cronexpression', cronjob: { closed } };
    const metadata = { namespace, name: 'change-freeze-gatekeeper' };
    await client.apply(GateKeeper, { metadata, spec: keeper }, { fieldManager });
    const binding = {
      targets: [{ kind: 'GitRepository', name: source }],
      require: 'oneOf',
      refs: [{ name: 'change-freeze' }, { name: 'bypass-signoff' }],
    };
    await client.apply(GateBinding, { metadata: target, spec: binding }, { fieldManager });
  }

  /** Checks that the source keeps its revision, although a newer one exists. */
  async holds(has: string, newer: string): Promise<void> {
    await this.#wait('the GitRepository is suspended, and Flux has observed it', () => this.#isSuspended());
    const { message = '' } = (await this.#binding()).status ?? {};
    this.#print(`  flux-system  held: ${message}`);
    this.#flux.setHead(url, revision(newer));
    await this.#wait('Flux has reconciled', async () => {
      const { metadata, status } = await this.#source();
      return status?.['observedGeneration'] === metadata.generation;
    });
    if ((await this.#revision()) !== revision(has))
      throw new Error('a held GitRepository fetched a revision');
    this.#print(
      `  flux-system  stays at ${revision(has).slice(0, 17)}, while ${revision(newer).slice(0, 17)} waits`,
    );
  }

  async takes(newer: string): Promise<void> {
    await this.#wait(
      'the GitRepository fetches the revision',
      async () => (await this.#revision()) === revision(newer),
    );
    this.#print(`  flux-system  takes ${revision(newer).slice(0, 17)}`);
  }

  async open(): Promise<void> {
    await this.#runFluxGate(['open', 'bypass-signoff', reason]);
    await this.#wait('the gate opens', () => this.#gateIs('Open'));
    const line = await this.#wait('the log records the change of the gate', () => this.#logLine());
    this.#print(`  log: ${line}`);
  }

  async close(): Promise<void> {
    await this.#runFluxGate(['close', 'bypass-signoff']);
    await this.#wait('the gate closes', () => this.#gateIs('Closed'));
  }

  async problems(): Promise<string[]> {
    const taken = this.#flux.taken.map((one) => one.revision);
    const expected = [revision('a'), revision('b')];
    return JSON.stringify(taken) === JSON.stringify(expected)
      ? []
      : [`the GitRepository took ${taken.join(', ')}, not ${expected.join(', ')}`];
  }

  /**
   * Runs `flux gate …`. Flux delegates it to its plugin flux-gate, which is the command line of this project under that
   * name.
   */
  async #runFluxGate(args: readonly string[]): Promise<void> {
    const { kubeconfig, folder } = this.#stack;
    const plugin = join(folder, 'flux-gate');
    await symlink(bundleOf('cli'), plugin).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const hidden = kubeconfigFlags(kubeconfig);
    const code = await quoteProgram(
      this.#print,
      'flux gate',
      plugin,
      [...args, ...this.#namespaceFlags()],
      hidden,
    );
    if (code !== 0) throw new Error(`flux gate ${args.join(' ')} ended with ${code}`);
  }

  /** Returns the flag for the namespace, or none for the default namespace of flux. */
  #namespaceFlags(): string[] {
    return this.#namespace === 'flux-system' ? [] : ['-n', this.#namespace];
  }

  async #gateIs(state: string): Promise<boolean> {
    const { status } = await this.#stack.client.get(Gate, {
      namespace: this.#namespace,
      name: 'bypass-signoff',
    });
    return status?.state === state;
  }

  async #isSuspended(): Promise<boolean> {
    const { metadata, spec, status } = await this.#source();
    return spec?.['suspend'] === true && status?.['observedGeneration'] === metadata.generation;
  }

  #source(): Promise<ForeignObject> {
    return this.#stack.client.get(fluxKinds.GitRepository, { namespace: this.#namespace, name: source });
  }

  #binding(): Promise<GateBinding> {
    return this.#stack.client.get(GateBinding, { namespace: this.#namespace, name: source });
  }

  async #revision(): Promise<string | undefined> {
    return revisionOf(await this.#source());
  }

  async #logLine(): Promise<string | undefined> {
    const lines = (await this.#stack.fleet.log('gate-controller')).split('\n');
    return lines.find((line) => line.includes(gatingGroup) && line.includes(`opening gate: '${reason}'`));
  }

  #wait<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    return waitFor(what, () => {
      this.#signal.throwIfAborted();
      return look();
    });
  }
}
