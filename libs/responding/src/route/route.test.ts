import type { ResponseRoute } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventOf, responseOf } from '../testing/objects.js';
import { compileRoutes, route, type RouteFacts, type Routing } from './route.js';

type Match = NonNullable<ResponseRoute['match']>;
const provider = { kind: 'noop', repository: 'a/b', baseBranch: 'main' } as const;

const facts: RouteFacts = { event: eventOf(), response: responseOf({}, { labels: { tier: 'one' } }) };

function routed(matches: (Match | undefined)[], given = facts): Routing {
  const routes = matches.map((match): ResponseRoute => ({ provider, ...(match && { match }) }));
  return route(compileRoutes(routes), given);
}

describe('route', () => {
  it.each<[Match]>([
    [{}],
    [{ actionRef: 'revoke-clusterrolebinding' }],
    [{ eventClass: 'Detection', eventType: 'ClusterAdminGranted', subjectKind: 'ClusterRoleBinding' }],
    [{ severity: ['critical', 'high'] }],
    [{ subjectNamespace: 'prod-eu' }],
    [{ subjectNamespace: 'prod-*' }],
    [{ subjectNamespace: '*' }],
    [{ subjectNamespace: 'p*d*u' }],
    [{ labels: { team: 'a', tier: 'one' } }],
    [{ expr: 'event.severity == "high" && subject.name.startsWith("adm") && response.attempts == 0' }],
    [{ expr: 'event.correlationID == "" && subject.labels.team == "a"' }],
    [{ expr: '!subject.name.matches("^b") && subject.namespace.matches("^prod-")' }],
  ])('matches %j', (match) => {
    expect(routed([match]).taken?.index).toBe(0);
  });

  it.each<[Match, string]>([
    [{ actionRef: 'other' }, 'actionRef is "revoke-clusterrolebinding", required: "other"'],
    [{ eventClass: 'Audit' }, 'eventClass is "Detection", required: "Audit"'],
    [{ severity: ['low', 'info'] }, 'severity is "high", required: one of low, info'],
    [{ subjectNamespace: 'prod' }, 'subjectNamespace is "prod-eu", required: "prod"'],
    [{ subjectNamespace: '*-e' }, 'required: "*-e"'],
    [{ subjectNamespace: 'prod-eu*eu' }, 'required'],
    [{ labels: { team: 'b' } }, 'label "team" is "a", required: "b"'],
    [{ labels: { none: '' } }, 'label "none" is not set, required: ""'],
    [{ expr: 'event.severity == "low"' }, 'is false'],
    [{ expr: 'event.nothing == "x"' }, 'cannot be evaluated: No such key: nothing'],
    [{ expr: 'event.' }, 'is not CEL'],
    [{ expr: 'event.severity' }, 'its value is not a boolean'],
    [{ expr: '1 + 1' }, 'its type is int, not bool'],
    [{ expr: 'unknown.x == 1' }, 'Unknown variable: unknown'],
  ])('does not match %j', (match, reason) => {
    const { taken, results } = routed([match]);
    expect(taken).toBeUndefined();
    expect(results[0]?.conditions.find(({ holds }) => !holds)?.reason).toContain(reason);
  });

  it('takes the first route that matches, and explains all routes', () => {
    const { taken, results } = routed([{ actionRef: 'x' }, { eventType: 'ClusterAdminGranted' }, undefined]);
    expect(taken?.index).toBe(1);
    expect(results.map(({ matches }) => matches)).toEqual([false, true, true]);
  });

  const costly = 'response.labels.all(a, response.labels.all(b, a != b || true))';
  const absorbed = `event.nothing == "x" || ${costly}`;
  const cheaper = `!(${Array(3).fill('response.labels.all(a, a != "")').join(' && ')})`;
  const tooMany = 'it takes more than 100000 steps';
  it.each<[string, (Match | undefined)[], object | undefined, number | undefined]>([
    ['takes too many steps', [{ expr: costly }, undefined], { index: 0, reason: tooMany }, undefined],
    [
      'takes too many steps and has another error',
      [{ expr: absorbed }, undefined],
      { index: 0, reason: tooMany },
      undefined,
    ],
    [
      'takes too many steps, if the other conditions of the route hold',
      [{ actionRef: 'x' }, { severity: ['high'], expr: costly }, undefined],
      { index: 1, reason: tooMany },
      undefined,
    ],
    [
      'takes the steps that others have left',
      [...Array(4).fill({ expr: cheaper }), undefined],
      { index: 3, reason: expect.stringMatching(/ steps, which the expressions before it have left$/) },
      undefined,
    ],
    ['cannot matter', [{ actionRef: 'x', expr: costly }, undefined], undefined, 1],
    ['comes after the route', [undefined, { expr: costly }], undefined, 0],
    ['has an ordinary error', [{ expr: 'event.nothing == "x"' }, undefined], undefined, 1],
  ])('takes no later route than one whose expression %s', (_, matches, undecided, index) => {
    const labels = Object.fromEntries(Array.from({ length: 4_000 }, (_, count) => [`l${count}`, 'x']));
    const result = routed(matches, { ...facts, response: responseOf({}, { labels }) });
    expect(result.undecided).toEqual(undecided);
    expect(result.taken?.index).toBe(index);
  });

  it('counts no steps of routes that other conditions exclude, and reports each expression nevertheless', () => {
    const labels = Object.fromEntries(Array.from({ length: 500 }, (_, count) => [`l${count}`, 'x']));
    const excluded = Array<Match>(3).fill({ severity: ['low'], expr: costly });
    const expr = 'response.labels.exists(key, key == "strict") || event.severity == "high"';
    const matches = [...excluded, { expr }, undefined];
    const result = routed(matches, { ...facts, response: responseOf({}, { labels }) });
    expect(result).toMatchObject({ taken: { index: 3 } });
    expect(result.results.map(({ index, conditions }) => [index, conditions.at(-1)?.condition])).toEqual([
      ...[0, 1, 2, 3].map((index) => [index, 'expr']),
      [4, undefined],
    ]);
  });

  it('routes a response without an event', () => {
    const response = responseOf({ action: { type: 'GitOpsChange' } });
    const { taken, results } = routed([{ actionRef: 'x' }, { eventType: 'x' }, undefined], { response });
    expect(taken?.index).toBe(2);
    expect(results[1]?.conditions[0]?.reason).toBe('eventType is not set, required: "x"');
  });

  it('matches a regular expression in linear time for any subject', () => {
    const hostile = { ...facts, event: eventOf({ subject: { name: `${'a'.repeat(100_000)}!` } }) };
    expect(routed([{ expr: 'subject.name.matches("^(a+)+$")' }], hostile).results[0]?.matches).toBe(true);
    const short = { ...facts, event: eventOf({ subject: { name: `${'a'.repeat(60)}!` } }) };
    expect(routed([{ expr: 'subject.name.matches("^(a+)+$")' }], short).results[0]?.matches).toBe(false);
    expect(routed([{ expr: '[1].all(x, [1].all(y, [1].all(z, true)))' }]).results[0]?.matches).toBe(false);
  });

  it('matches namespaces as a regular expression for the same pattern does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 6 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pattern, text, (glob, namespace) => {
        const { results } = routed([{ subjectNamespace: glob }], {
          ...facts,
          event: eventOf({ subject: { namespace } }),
        });
        expect(results[0]?.matches).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(namespace));
      }),
    );
  });
});

it('converts an event for expressions once, however many routes have one', () => {
  let reads = 0;
  const details = new Proxy<Record<string, string>>(
    { a: 'b' },
    {
      ownKeys(target) {
        reads += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const event = eventOf({ details });
  const readsFor = (count: number): number => {
    reads = 0;
    const match = { expr: "event.type == 'other'" };
    route(compileRoutes(Array(count).fill({ match, provider })), { response: responseOf(), event });
    return reads;
  };
  expect(readsFor(1)).toBeGreaterThan(0);
  expect(readsFor(100)).toBe(readsFor(1));
});
