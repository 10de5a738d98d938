import {
  CommitStatus,
  Gate,
  GateBinding,
  labels,
  ProposedCommit,
  type CommitStatusPhase,
} from '@interlock/api';
import { systemClock } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import { verifyAudit } from '@interlock/gating';
import { createCache, Namespace, type Client } from '@interlock/kube';
import { ensureNamespace } from '@interlock/stack';
import type { Tenant } from './crash-points.js';
import type { Scenario, Step } from './crash-run.js';

const fieldManager = 'team';
const key = 'freeze';
const shaOf = (letter: string): string => letter.repeat(40);

/** An environment whose proposed commits require a key to which a gate is bound. */
class KeyTenant implements Tenant {
  readonly #left = new AbortController();
  /** The phases of the CommitStatus of each commit, in order, by the letter of the commit. */
  readonly #said = new Map<string, CommitStatusPhase[]>();

  readonly #client: Client;

  constructor(
    client: Client,
    readonly name: string,
  ) {
    this.#client = client;
  }

  async leave(): Promise<void> {
    this.#left.abort();
    await this.#client.delete(Namespace, { name: this.name });
  }

  async create(): Promise<void> {
    await ensureNamespace(this.#client, this.name);
    this.#follow();
    await this.gate(true);
    const spec = { mode: 'CommitStatus', commitStatus: { key }, refs: [{ name: 'freeze' }] };
    await this.#client.apply(GateBinding, { metadata: this.#at('freeze'), spec }, { fieldManager });
    await this.propose('a');
  }

  gate(closed: boolean): Promise<Gate> {
    return this.#client.apply(Gate, { metadata: this.#at('freeze'), spec: { closed } }, { fieldManager });
  }

  /** Proposes a commit, as the promoter does. */
  async propose(letter: string): Promise<void> {
    const metadata = this.#at('shop-prod');
    const spec = {
      repoRef: { name: 'deployments' },
      activeBranch: 'prod',
      proposedBranch: 'prod-next',
      commitStatuses: { proposed: [{ key }] },
    };
    const labelled = { ...metadata, labels: { [labels.promotionStrategy]: 'shop' } };
    await this.#client.apply(ProposedCommit, { metadata: labelled, spec }, { fieldManager });
    const status = { proposed: { hydratedSHA: shaOf(letter) }, active: { hydratedSHA: shaOf('f') } };
    await this.#client.apply(ProposedCommit, { metadata, status }, { fieldManager, subresource: 'status' });
  }

  removeBinding(): Promise<void> {
    return this.#client.delete(GateBinding, this.#at('freeze'));
  }

  /** Returns what is missing until exactly these commits have these phases. */
  async missing(expected: Readonly<Record<string, CommitStatusPhase>>): Promise<string | undefined> {
    const { items } = await this.#client.list(CommitStatus, { namespace: this.name });
    const phases = items.map(({ spec }) => `${spec.sha[0] ?? ''} ${spec.phase}`).sort();
    const wanted = Object.entries(expected).map((entry) => entry.join(' '));
    return phases.join() === wanted.join() ? undefined : `the key says ${phases.join() || 'nothing'}`;
  }

  /**
   * Returns the problems with the phases of each commit, which have to match the states of its gate, and with the
   * history of the gate.
   */
  async problems(expected: Readonly<Record<string, readonly CommitStatusPhase[]>>): Promise<string[]> {
    const said = Object.entries(expected)
      .map(([letter, phases]) => ({ letter, phases: phases.join(), known: this.#said.get(letter)?.join() }))
      .filter(({ phases, known }) => phases !== known)
      .map(({ letter, phases, known = 'nothing' }) => `the key said ${known} of ${letter}, not ${phases}`);
    const { status } = await this.#client.get(Gate, this.#at('freeze'));
    const states = status?.history?.map(({ to }) => to).join() ?? '';
    return [
      ...said,
      ...(states === 'Closed,Open,Closed' ? [] : [`the recorded states of the gate are ${states}`]),
      ...verifyAudit(status?.history).map(({ message }) => message),
    ];
  }

  #follow(): void {
    const dependencies = { clock: systemClock, random: Math.random, log: recordLog() };
    const cache = createCache(this.#client, CommitStatus, { namespace: this.name }, dependencies);
    cache.subscribe(({ type, object: { spec } }) => {
      const phases = this.#said.get(spec.sha[0] ?? '') ?? [];
      if (type !== 'deleted' && phases.at(-1) !== spec.phase) phases.push(spec.phase);
      this.#said.set(spec.sha[0] ?? '', phases);
    });
    void cache.run(this.#left.signal);
  }

  #at(name: string): { namespace: string; name: string } {
    return { namespace: this.name, name };
  }
}

function step(
  act: (tenant: KeyTenant) => Promise<unknown>,
  expected: Readonly<Record<string, CommitStatusPhase>>,
): Step<KeyTenant> {
  return {
    act: async (_fixture, tenant) => void (await act(tenant)),
    missing: (_fixture, tenant) => tenant.missing(expected),
  };
}

/**
 * The scenario in which the gate of a key closes, opens and closes, another commit is proposed, and the binding is
 * deleted.
 */
export const keyScenario: Scenario<KeyTenant> = {
  app: 'gate-controller',
  createTeam: (fixture, name) => Promise.resolve(new KeyTenant(fixture.platform.client, name)),
  steps: [
    step((tenant) => tenant.create(), { a: 'in_progress' }),
    step((tenant) => tenant.gate(false), { a: 'success' }),
    step((tenant) => tenant.gate(true), { a: 'in_progress' }),
    step((tenant) => tenant.propose('b'), { b: 'in_progress' }),
    step((tenant) => tenant.removeBinding(), {}),
  ],
  check: (_fixture, tenant) =>
    tenant.problems({ a: ['in_progress', 'success', 'in_progress'], b: ['in_progress'] }),
};
