import { TypedError, type EventResponseStatus } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileRoutes, route } from '@interlock/responding';
import { eventOf, responseOf } from '@interlock/responding/testing';
import { decide } from './decide.js';
import { follow } from './follow.js';
import type { AttemptMode, AttemptResult, Decision, SeenRequest } from './observed.js';
import { closed, settle } from './settle.js';

const plan = {
  files: [{ path: 'a', change: 'delete' as const }],
  added: 0,
  removed: 1,
  digest: 'd',
  absent: [],
};
const provider = { kind: 'github-app', repository: 'a/b', baseBranch: 'main' } as const;
const url = 'https://x/1';

type Happening =
  | 'reconcile'
  | 'crashBefore'
  | 'crashAfter'
  | 'lost'
  | 'transient'
  | 'unauthorized'
  | 'invalid'
  | 'merge'
  | 'close'
  | 'cancel'
  | 'gate'
  | 'config';

/** A forge, a cluster and a responder that may stop at any line; state outside `status` or `requests` is then lost. */
class Fixture {
  status: EventResponseStatus | undefined;
  readonly requests: SeenRequest[] = [];
  gateOpen = true;
  hasConfig = true;
  now = Date.parse('2026-01-01T00:00:00Z');

  decision(): Decision {
    const response = { ...responseOf(), ...(this.status && { status: this.status }) };
    const routes = compileRoutes([{ provider, gateRef: { name: 'g' } }]);
    return decide(
      {
        response,
        responderName: 'ugallu-gitops-responder',
        configNamespace: 'ugallu-system',
        maxAttempts: 0,
        followEveryMs: 60_000,
        random: 0.5,
        gate: { name: 'g', open: this.gateOpen, reason: 'x' },
        ...(this.hasConfig && {
          config: { name: 'c', generation: 1, routing: route(routes, { response, event: eventOf() }) },
        }),
      },
      this.now,
    );
  }

  happen(what: Happening): void {
    const [request] = this.requests;
    if (what === 'merge' && request?.state === 'open') request.state = 'merged';
    else if (what === 'close' && request?.state === 'open') request.state = 'closed';
    else if (what === 'cancel') this.status = { ...this.status, cancelReason: 'changed my mind' };
    else if (what === 'gate') this.gateOpen = !this.gateOpen;
    else if (what === 'config') this.hasConfig = !this.hasConfig;
    else this.#reconcile(what);
  }

  #reconcile(what: Happening): void {
    const decision = this.decision();
    if (decision.type === 'none') return;
    if (decision.type === 'wait') {
      this.status = decision.status;
      this.now += decision.requeueAfterMs ?? 1000;
    } else if (decision.type === 'finish') this.status = decision.status;
    else if (decision.type === 'attempt') this.#attempt(decision.mode, decision.status, what);
    else this.#poll(decision.type, what);
  }

  #attempt(mode: AttemptMode, status: EventResponseStatus, what: Happening): void {
    this.status = status;
    if (what === 'crashBefore') return;
    const result = this.#act(mode, what);
    if (what === 'crashAfter') return;
    const response = { ...responseOf(), status: this.status };
    this.status = settle({ response, mode, result, maxAttempts: 0 }, this.now, 0.5).status;
  }

  #act(mode: AttemptMode, what: Happening): AttemptResult {
    /* Before the lookup of the pull request, one that an earlier attempt opened is not known. */
    const uncertain = this.status?.changeRequest?.branch !== undefined;
    const failed = (error: TypedError): AttemptResult => ({ type: 'failed', error, uncertain });
    if (what === 'transient') return failed(new TypedError('Transient', '502'));
    if (what === 'unauthorized') return failed(new TypedError('Unauthorized', '401'));
    if (what === 'invalid') return failed(new TypedError('Invalid', '422'));
    const [found] = this.requests;
    if (found !== undefined && found.state !== 'open') return { type: 'settled', request: { ...found } };
    if (found !== undefined) return { type: 'submitted', request: { ...found } };
    if (mode === 'find' || mode === 'leave') return { type: 'absent' };
    if (mode === 'plan') return { type: 'planned', plan };
    this.status = { ...this.status, changeRequest: { branch: 'b' } };
    this.requests.push({ number: 1, url, state: 'open' });
    if (what === 'lost')
      return { type: 'failed', error: new TypedError('Transient', 'ECONNRESET'), uncertain: true };
    return { type: 'submitted', request: { number: 1, url, state: 'open' }, plan };
  }

  #poll(type: 'follow' | 'close', what: Happening): void {
    const [request] = this.requests;
    const response = { ...responseOf(), ...(this.status && { status: this.status }) };
    if (request === undefined) throw new Error('there is no pull request');
    if (type === 'close' && what !== 'crashBefore' && request.state === 'open') request.state = 'closed';
    if (what !== 'reconcile') return;
    this.status =
      type === 'close'
        ? closed(response, { ...request }, this.now)
        : follow(response, { ...request }, this.now);
  }
}

const happenings = fc.array(
  fc.constantFrom<Happening>(
    'reconcile',
    'reconcile',
    'crashBefore',
    'crashAfter',
    'lost',
    'transient',
    'unauthorized',
    'invalid',
    'merge',
    'close',
    'cancel',
    'gate',
    'config',
  ),
  { maxLength: 25 },
);

describe('a response, whatever happens', () => {
  it('has at most one pull request, and finally a correct status', () => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(happenings, (events) => {
        const fixture = new Fixture();
        for (const event of events) fixture.happen(event);
        fixture.gateOpen = true;
        fixture.hasConfig = true;
        for (let step = 0; step < 50; step += 1) fixture.happen('reconcile');
        const { status, requests } = fixture;
        const [request] = requests;
        expect(requests.length).toBeLessThanOrEqual(1);
        expect(['Succeeded', 'Failed', 'Cancelled']).toContain(status?.phase);
        expect(status?.attempts ?? 0).toBeLessThanOrEqual(3);
        ends.add(`${String(status?.phase)} ${String(request?.state)}`);
        if (status?.phase === 'Succeeded') expect(request?.state).toMatch(/open|merged/);
        if (status?.phase === 'Cancelled') expect(request?.state).not.toBe('open');
        if (request?.state === 'open') expect(status).toMatchObject({ phase: 'Succeeded', providerRef: url });
        if (request?.state === 'merged') expect(status?.phase).not.toBe('Failed');
        if (request !== undefined) expect(status?.changeRequest?.state).toBe(request.state);
      }),
      { numRuns: 600 },
    );
    expect([...ends].sort()).toEqual(
      expect.arrayContaining([
        'Cancelled undefined',
        'Failed closed',
        'Failed undefined',
        'Succeeded merged',
        'Succeeded open',
      ]),
    );
  });
});
