import type { ShownPullRequest } from '@interlock/forge';
import fc from 'fast-check';
import { EventResponse, isTyped, SecurityEvent, type EventResponseStatus } from '@interlock/api';
import { responseOfBody } from '@interlock/responding';
import type { Target } from './target.js';
import type { Fixture } from './fixture.js';

/** An incident during the handling of an event by a responder. */
export type Happening =
  | { what: 'kill'; at: 'forge' | 'cluster'; moment: 'before' | 'after'; skip: number }
  | { what: 'refuse'; status: number; times: number; skip: number }
  | {
      what:
        'reload' | 'reroute' | 'break' | 'emitAgain' | 'vanish' | 'close' | 'merge' | 'cancel' | 'restart';
    };

const skip = fc.nat(12);
const moment = fc.constantFrom('before' as const, 'after' as const);
export const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constant('kill' as const),
        at: fc.constantFrom('forge' as const, 'cluster' as const),
        moment,
        skip: fc.nat(5),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constant('refuse' as const),
        status: fc.constantFrom(401, 409, 422, 429, 500, 502),
        times: fc.integer({ min: 1, max: 3 }),
        skip,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constantFrom(
          'reload' as const,
          'reroute' as const,
          'break' as const,
          'emitAgain' as const,
          'vanish' as const,
          'close' as const,
          'merge' as const,
          'cancel' as const,
          'restart' as const,
        ),
      }),
    },
  ),
  { minLength: 1, maxLength: 6 },
);

const document = 'kind: ClusterRoleBinding\nmetadata:\n  name: too-broad\n';
const path = 'rbac.yaml';
const changes = JSON.stringify([{ op: 'yaml.deleteDocument', path, select: { name: 'too-broad' } }]);
/** Longer than the longest delay of a response, and than the time between two reads. */
const longMs = 700_000;

/** One response, with incidents during its handling. */
export class Turmoil {
  #reloads = 0;
  #isRerouted = false;
  #name = '';

  readonly #fixture: Fixture;
  readonly #here: Target;
  readonly #there: Target;
  readonly #event: string;

  private constructor(fixture: Fixture, here: Target, there: Target, event: string) {
    this.#fixture = fixture;
    this.#here = here;
    this.#there = there;
    this.#event = event;
  }

  static async begin(fixture: Fixture, event: string): Promise<Turmoil> {
    const files = { [path]: document, 'kept.yaml': 'kind: ConfigMap\n' };
    const turmoil = new Turmoil(fixture, await fixture.target(files), await fixture.target(files), event);
    await turmoil.#configure();
    await fixture.event(event);
    return turmoil;
  }

  async run(list: readonly Happening[]): Promise<void> {
    const early = list.filter(({ what }) => what === 'kill' || what === 'refuse').slice(0, 2);
    for (const one of early) await this.#happen(one);
    this.#name = await this.#fixture.respond(
      this.#here.actionRef,
      { changes },
      { securityEventRef: { name: this.#event } },
    );
    await this.#rest();
    for (const one of list.filter((late) => !early.includes(late))) {
      /* Also while the responder is stopped. */
      await this.#happen(one);
      await this.#startAgain();
    }
  }

  /** Ends all incidents, and waits until the response has ended. Returns its status. */
  async calm(): Promise<EventResponseStatus> {
    const { platform, clock } = this.#fixture;
    platform.forge.faults.clear();
    platform.cluster.embedded.faults.clear();
    await this.#configure();
    await this.#fixture.event(this.#event);
    for (let round = 0; round < 40; round += 1) {
      await this.#startAgain();
      clock.forward(longMs);
      await this.#rest();
      const status = await this.#fixture.status(this.#name);
      const isFinal = status.completedAt !== undefined;
      if (isFinal && round > 2) return status;
    }
    throw new Error(`it does not end: ${JSON.stringify(await this.#fixture.status(this.#name))}`);
  }

  /** Returns the violated properties of a response and its status, one sentence each. */
  async problems(status: EventResponseStatus): Promise<string[]> {
    const { metadata } = await this.#fixture.platform.client.get(EventResponse, { name: this.#name });
    const isOwn = ({ body }: ShownPullRequest) => responseOfBody(body) === metadata.uid;
    const pulls = [...(await this.#here.pulls()), ...(await this.#there.pulls())].filter(isOwn);
    const branches = [...(await this.#here.branches()), ...(await this.#there.branches())];
    const [pull] = pulls;
    const state = pull && (pull.merged ? 'merged' : pull.state);
    const { phase, outcome, changeRequest, error } = status;
    const isCancelled = phase === 'Cancelled';
    const claims: [boolean, string][] = [
      [pulls.length <= 1, `it has ${pulls.length} pull requests`],
      [branches.length <= 1, `it has the branches ${branches.join(', ')}`],
      [
        changeRequest?.state === state,
        `the pull request is ${state}, the status says ${changeRequest?.state}`,
      ],
      [
        isCancelled
          ? state !== 'open'
          : (phase === 'Succeeded' && outcome?.type === 'ActionTaken') ===
            (state === 'open' || state === 'merged'),
        `it is ${phase} (${outcome?.type}), the pull request is ${state}`,
      ],
      [
        isCancelled || (error?.reason === 'Rejected') === (state === 'closed'),
        `the error is ${error?.reason} of one that is ${state}`,
      ],
      [state === undefined || status.providerRef !== undefined, 'the address is not written down'],
    ];
    return claims.filter(([holds]) => !holds).map(([, problem]) => problem);
  }

  async #happen(one: Happening): Promise<void> {
    const { platform } = this.#fixture;
    switch (one.what) {
      case 'kill':
        return this.#armKill(one);
      case 'refuse': {
        const { status, times, skip: after } = one;
        const retryAfter = status === 429 ? { headers: { 'retry-after': '30' } } : {};
        const body = { message: 'no' };
        for (const { login } of [this.#here, this.#there]) {
          platform.forge.faults.add({
            match: { actor: login },
            skip: after,
            times,
            status,
            body,
            ...retryAfter,
          });
        }
        return;
      }
      case 'reload':
        this.#reloads += 1;
        return this.#configure();
      case 'reroute':
        this.#isRerouted = !this.#isRerouted;
        return this.#configure();
      case 'break':
        await this.#fixture.configure(
          { routes: [{ provider: this.#here.provider, match: { expr: '(' } }] },
          false,
        );
        return;
      case 'emitAgain':
        await this.#fixture.event(this.#event, { signals: [`again ${++this.#reloads}`] });
        return;
      case 'vanish':
        return this.#vanish();
      case 'cancel':
        return this.#fixture.mark(this.#name, { cancelReason: 'a false alarm' });
      case 'close':
      case 'merge':
        return this.#decide(one.what);
      case 'restart':
        await this.#fixture.restart();
    }
  }

  async #vanish(): Promise<void> {
    try {
      await this.#fixture.platform.client.delete(SecurityEvent, { name: this.#event });
    } catch (error) {
      if (!isTyped(error, 'NotFound')) throw error;
    }
  }

  #armKill({ at, moment: when, skip: after }: Happening & { what: 'kill' }): void {
    const { forge, cluster } = this.#fixture.platform;
    const onHit = (): void => this.#fixture.responder.kill();
    if (at === 'forge') {
      const cut = when === 'before' ? { cutBeforeResponse: true } : { cutAfterEffect: true };
      /* A stop at a read is equivalent to one before the next write. */
      forge.faults.add({ match: { actor: this.#here.login, kind: 'write' }, skip: after, onHit, ...cut });
      return;
    }
    let seen = 0;
    cluster.embedded.faults.inject({
      when: ({ info }) =>
        info.resource?.plural === 'eventresponses' && info.verb === 'update' && ++seen === after + 1,
      onHit,
      ...(when === 'before' ? { cutAfterBytes: 0 } : { cutAfterEffect: true }),
    });
  }

  async #decide(what: 'close' | 'merge'): Promise<void> {
    for (const target of [this.#here, this.#there]) {
      for (const { number, state } of await target.pulls()) {
        if (state === 'open') await target.user[what](target.fullName, number);
      }
    }
  }

  async #configure(): Promise<void> {
    const { provider } = this.#isRerouted ? this.#there : this.#here;
    const match = { actionRef: this.#here.actionRef };
    const known = {
      match: { actionRef: 'nobody' },
      provider: (this.#isRerouted ? this.#here : this.#there).provider,
    };
    const prTemplate = `Text ${this.#reloads}`;
    await this.#fixture.configure({ routes: [{ match, provider, prTemplate }, known] }, false);
  }

  /** Lets the responder work until it is idle or killed. */
  async #rest(): Promise<void> {
    /* Queued calls need not wait in real time. */
    await this.#fixture.responder.rest(() => Promise.resolve(this.#fixture.clock.forward(500)));
  }

  /** Starts a killed responder again, as the kubelet would, and lets it work. */
  async #startAgain(): Promise<void> {
    while (this.#fixture.responder.isKilled) {
      await this.#fixture.restart();
      await this.#rest();
    }
    await this.#rest();
  }
}
