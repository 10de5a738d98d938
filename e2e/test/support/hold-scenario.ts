import { Gate, GateBinding, gatingGroup, type FluxKind } from '@interlock/api';
import { verifyAudit } from '@interlock/gating';
import { Namespace, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace, fluxKinds, type SimulatedFlux, type ForeignObject } from '@interlock/stack';
import type { Tenant } from './crash-points.js';
import type { Scenario, Step } from './crash-run.js';
import type { Fixture } from './fixture.js';

const fieldManager = 'team';
const onMain = (letter: string): string => `main@sha1:${letter.repeat(40)}`;

/**
 * Two sources that a gate holds in different modes, an applier of one of them, and a source that a user has suspended.
 */
class HoldTenant implements Tenant {
  readonly #client: Client;

  constructor(
    client: Client,
    readonly flux: SimulatedFlux,
    readonly name: string,
  ) {
    this.#client = client;
  }

  async leave(): Promise<void> {
    await this.#client.delete(Namespace, { name: this.name });
  }

  /** Sets the commit of the remotes of all sources. */
  push(letter: string): Promise<void> {
    for (const name of ['shop', 'library', 'theirs']) this.flux.setHead(this.#url(name), onMain(letter));
    return Promise.resolve();
  }

  gate(closed: boolean): Promise<Gate> {
    return this.#client.apply(Gate, { metadata: this.#at('freeze'), spec: { closed } }, { fieldManager });
  }

  async create(): Promise<void> {
    await ensureNamespace(this.#client, this.name);
    const ref = { branch: 'main' };
    await this.#apply('GitRepository', 'shop', { url: this.#url('shop'), ref });
    await this.#apply('GitRepository', 'library', { url: this.#url('library'), ref });
    await this.#apply('GitRepository', 'theirs', { url: this.#url('theirs'), ref, suspend: true });
    await this.#apply('Kustomization', 'web', { sourceRef: { kind: 'GitRepository', name: 'shop' } });
    await this.push('a');
    await eventually(() => {
      const missing = untaken(this, 'a');
      if (missing !== undefined) throw new Error(missing);
    });
    const refs = [{ name: 'freeze' }];
    const named = (name: string) => [{ kind: 'GitRepository', name }];
    await this.gate(true);
    await this.#bind('hard', { targets: [...named('shop'), ...named('theirs')], refs, scope: 'All' });
    await this.#bind('soft', { targets: named('library'), refs, mode: 'Pin' });
  }

  /** Returns the problems with the history of the gate, which was closed, opened and closed. */
  async misrecorded(): Promise<string[]> {
    const { status } = await this.#client.get(Gate, this.#at('freeze'));
    const states = status?.history?.map(({ to }) => to).join(', ') ?? '';
    return [
      ...(states === 'Closed, Open, Closed' ? [] : [`the recorded states of the gate are ${states}`]),
      ...verifyAudit(status?.history).map(({ message }) => message),
    ];
  }

  async removeBindings(): Promise<void> {
    for (const name of ['hard', 'soft']) await this.#client.delete(GateBinding, this.#at(name));
  }

  async bindings(): Promise<GateBinding[]> {
    return (await this.#client.list(GateBinding, { namespace: this.name })).items;
  }

  object(kind: FluxKind, name: string): Promise<ForeignObject> {
    return this.#client.get(fluxKinds[kind], this.#at(name));
  }

  /** Returns the commits that a source fetched in order, one letter each. */
  taken(name: string): string {
    return this.flux.taken
      .filter((one) => one.kind === 'GitRepository' && one.namespace === this.name && one.name === name)
      .map(({ revision }) => revision.at(-1))
      .join('');
  }

  #url(name: string): string {
    return `https://git.example/${this.name}/${name}`;
  }

  #at(name: string): { namespace: string; name: string } {
    return { namespace: this.name, name };
  }

  async #apply(kind: FluxKind, name: string, spec: object): Promise<void> {
    await this.#client.apply(fluxKinds[kind], { metadata: this.#at(name), spec }, { fieldManager });
  }

  async #bind(name: string, spec: object): Promise<void> {
    await this.#client.apply(GateBinding, { metadata: this.#at(name), spec }, { fieldManager });
  }
}

/** Returns what the bindings do not report yet, until `held` of the four objects are held and confirmed. */
async function unreported(tenant: HoldTenant, held: number): Promise<string | undefined> {
  const bindings = await tenant.bindings();
  const count = bindings.reduce((sum, { status }) => sum + (status?.heldCount ?? -1), 0);
  const isConfirmed = bindings.every(({ status }) => status?.holds?.every(({ confirmed }) => confirmed));
  return count === held && isConfirmed ? undefined : `${count} objects are held, not ${held}`;
}

/** Returns the unexpected and the missing revisions of the sources. */
function untaken(tenant: HoldTenant, commits: string): string | undefined {
  const wrong = ['shop', 'library'].find((name) => tenant.taken(name) !== commits);
  return wrong && `${wrong} took ${tenant.taken(wrong)}, not ${commits}`;
}

function step(
  act: (tenant: HoldTenant) => Promise<unknown>,
  held: number,
  commits: string,
): Step<HoldTenant> {
  return {
    act: async (_fixture, tenant) => void (await act(tenant)),
    missing: async (_fixture, tenant) => (await unreported(tenant, held)) ?? untaken(tenant, commits),
  };
}

/**
 * Returns a scenario in which a gate closes, opens and closes, and its bindings are deleted. A new commit waits each
 * time.
 */
export function holdScenario(fluxOf: (fixture: Fixture) => SimulatedFlux): Scenario<HoldTenant> {
  return {
    app: 'gate-controller',
    createTeam: (fixture, name) =>
      Promise.resolve(new HoldTenant(fixture.platform.client, fluxOf(fixture), name)),
    steps: [
      step((tenant) => tenant.create(), 4, 'a'),
      step((tenant) => tenant.push('b'), 4, 'a'),
      step((tenant) => tenant.gate(false), 0, 'ab'),
      step((tenant) => tenant.gate(true), 4, 'ab'),
      step((tenant) => tenant.push('c'), 4, 'ab'),
      {
        act: (_fixture, tenant) => tenant.removeBindings(),
        missing: async (_fixture, tenant) => {
          const left = (await tenant.bindings()).map(({ metadata }) => metadata.name);
          return left.length > 0 ? `there still is ${left.join(', ')}` : untaken(tenant, 'abc');
        },
      },
    ],
    check: async (_fixture, tenant) => {
      const objects = [
        await tenant.object('GitRepository', 'shop'),
        await tenant.object('GitRepository', 'library'),
        await tenant.object('Kustomization', 'web'),
        await tenant.object('GitRepository', 'theirs'),
      ];
      const problems = objects.flatMap(({ metadata, spec }) => {
        const isTheirs = metadata.name === 'theirs';
        const notes = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith(gatingGroup));
        const commit = (spec?.['ref'] as { commit?: string } | undefined)?.commit;
        return [
          ...((spec?.['suspend'] === true) === isTheirs
            ? []
            : [`${metadata.name} is suspended: ${!isTheirs}`]),
          ...(commit === undefined ? [] : [`${metadata.name} is still pinned`]),
          ...(notes.length === 0 ? [] : [`${metadata.name} still has ${notes.join(', ')}`]),
        ];
      });
      const theirs = tenant.taken('theirs');
      if (theirs !== '') problems.push(`what a user suspended took ${theirs}`);
      return [...problems, ...(await tenant.misrecorded())];
    },
  };
}
