import {
  CommitStatus,
  labels,
  ProposedCommit,
  RevertCommit,
  type CommitStatusPhase,
  type KubeObject,
} from '@interlock/api';
import { labelValue } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import type { Fixture } from './fixture.js';

export const key = 'prod-deployment-freeze';
const repoRef = { name: 'deployments' };
const fieldManager = 'promoter';

/** Returns a full SHA that is the same for the same text. */
export function sha(text: string): string {
  return Buffer.from(text.padEnd(20, '.')).toString('hex').slice(0, 40);
}

/** Acts as the promoter for one environment of a strategy, whose proposed commit must pass the key. */
export class Environment {
  readonly #fixture: Fixture;

  constructor(
    fixture: Fixture,
    readonly namespace: string,
    readonly branch: string,
    readonly strategy = 'shop',
  ) {
    this.#fixture = fixture;
  }

  get name(): string {
    return `${this.strategy}-${this.branch.replaceAll('/', '-')}`;
  }

  /** Proposes a commit made from a dry commit, while another one is active. */
  async propose(text: string, { active = 'old', keys = [key] } = {}): Promise<ProposedCommit> {
    const metadata = { name: this.name, namespace: this.namespace };
    await this.#fixture.client.apply(
      ProposedCommit,
      {
        metadata: { ...metadata, labels: { [labels.promotionStrategy]: labelValue(this.strategy) } },
        spec: {
          repoRef,
          activeBranch: this.branch,
          proposedBranch: `${this.branch}-next`,
          commitStatuses: { proposed: keys.map((one) => ({ key: one })) },
        },
      },
      { fieldManager },
    );
    const status = {
      proposed: { hydratedSHA: sha(text), drySHA: sha(`dry ${text}`) },
      active: { hydratedSHA: sha(active), drySHA: sha(`dry ${active}`) },
    };
    return this.#fixture.client.apply(
      ProposedCommit,
      { metadata, status },
      { fieldManager, subresource: 'status' },
    );
  }

  /** Proposes a revert. */
  async revert(name: string, text: string): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    const spec = { repoRef, activeBranch: this.branch };
    await this.#fixture.client.apply(RevertCommit, { metadata, spec }, { fieldManager });
    const status = { revertSHA: sha(text), state: 'Open' };
    await this.#fixture.client.apply(
      RevertCommit,
      { metadata, status },
      { fieldManager, subresource: 'status' },
    );
  }
}

/** Returns the CommitStatuses of a key in a namespace, by commit. */
export async function statuses(
  fixture: Fixture,
  namespace: string,
  of = key,
): Promise<Record<string, CommitStatus>> {
  const labelSelector = `${labels.commitStatusKey}=${of}`;
  const { items } = await fixture.client.list(CommitStatus, { namespace, labelSelector });
  return Object.fromEntries(items.map((status) => [status.spec.sha, status]));
}

/** Waits until the key has CommitStatuses for exactly these commits with these phases, and returns them by commit. */
export function expectPhases(
  fixture: Fixture,
  namespace: string,
  expected: Record<string, CommitStatusPhase>,
): Promise<Record<string, CommitStatus>> {
  const wanted = Object.entries(expected).map(([text, phase]) => [sha(text), phase]);
  return eventually(async () => {
    const known = await statuses(fixture, namespace);
    const phases = Object.entries(known).map(([commit, { spec }]) => [commit, spec.phase]);
    const text = JSON.stringify(phases.sort());
    if (text !== JSON.stringify(wanted.sort())) throw new Error(`the phases of the key are ${text}`);
    return known;
  });
}

/** Returns a binding of the key to gates. */
export function binding(name: string, refs: readonly string[], more: object = {}): KubeObject {
  return {
    apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
    kind: 'GateBinding',
    metadata: { name },
    ...{
      spec: {
        mode: 'CommitStatus',
        commitStatus: { key },
        refs: refs.map((ref) => ({ name: ref })),
        ...more,
      },
    },
  };
}
