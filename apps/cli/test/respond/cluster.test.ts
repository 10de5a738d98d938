import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventResponse } from '@interlock/api';
import { parse } from 'yaml';
import { Fixture } from '../harness/fixture.js';
import { config, event, removal, response } from './manifests.js';

const now = '2026-11-21T12:00:00Z';
let fixture: Fixture;

const freeze = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: freeze, namespace: flux-system }
spec: { closed: true }
status: { state: Closed, message: stop the line, validUntil: ${now.replace('12:', '13:')} }
`;
const gated = config.replace(
  '      prTemplate:',
  '      gateRef: { name: freeze, namespace: flux-system }\n      onGateClosed: Wait\n      prTemplate:',
);
const status = (text: string) => `status: ${text}\n`;
const named = (name: string, text = '', more: Parameters<typeof response>[1] = { uid: '' }) =>
  `${response({ path: 'a.txt', contents: 'x\n' }, more).replace('er-1', name)}${text}`;

const objects = [
  gated,
  freeze,
  event,
  named('er-1'),
  named(
    'er-2',
    status(
      '{ phase: Running, stage: Planned, attempts: 2, nextAttemptAt: 2026-11-21T12:01:00Z, error: { type: Transient, reason: RateLimited, detail: too many requests }, route: { index: 1, config: default, provider: github-app, repository: ninsun-labs/ugallu-gitops, baseBranch: main } }',
    ),
  ),
  named(
    'er-3',
    status(
      '{ phase: Succeeded, stage: Submitted, attempts: 1, providerRef: "https://github.com/o/r/pull/7", outcome: { type: ActionTaken, message: opened }, changeRequest: { number: 7, state: open } }',
    ),
  ),
  named('er-4', '', { uid: '', responder: 'team-b-responder' }),
  named('er-5', '', { uid: '', type: 'PodFreeze' }),
  response(removal, { uid: '' }).replace('er-1', 'er-6'),
].join('---\n');

const tabs = (text: string) => text.replace(/ *\t/g, ' | ');

beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.apply(objects, 'ugallu-system');
});
afterAll(() => fixture.close());

describe('list', () => {
  test('lists the responses that result in pull requests', async () => {
    const { code, stdout, stderr } = await fixture.respond(['list'], { now });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = tabs(stdout).split('\n');
    expect(rows.map((row) => row.replace(/\d+[smhd](?= \||$)/, 'AGE').trim())).toEqual([
      'NAME | EVENT | ROUTE | PHASE | STAGE | ATTEMPTS | NEXT | URL | AGE | MESSAGE',
      'er-1 | se-1 |  | Pending |  | 0 |  |  | AGE',
      'er-2 | se-1 | ninsun-labs/ugallu-gitops | Running | Planned | 2 | 2026-11-21T12:01:00Z |  | AGE | too many requests',
      'er-3 | se-1 |  | Succeeded | Submitted | 1 |  | https://github.com/o/r/pull/7 | AGE | opened',
      'er-4 | se-1 |  | Pending |  | 0 |  |  | AGE',
      'er-6 | se-1 |  | Pending |  | 0 |  |  | AGE',
      '',
    ]);
  });

  test.each([
    [['--phase', 'Running'], ['er-2']],
    [
      ['--phase', 'Pending'],
      ['er-1', 'er-4', 'er-6'],
    ],
    [['--responder-name', 'team-b-responder'], ['er-4']],
    [['-l', 'none=x'], []],
  ])('filters with %j', async (args, names) => {
    const { stdout } = await fixture.respond(['list', '--no-header', ...args], { now });
    const rows = stdout.split('\n').filter((line) => line !== '');
    expect(rows.map((row) => row.split(/\s/)[0])).toEqual(names);
    const { stdout: yaml } = await fixture.respond(['list', '-o', 'yaml', ...args], { now });
    const { items } = parse(yaml) as { items: EventResponse[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test('reports that no response matches', async () => {
    expect(await fixture.respond(['list', '--phase', 'Cancelled'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '✗ no EventResponse objects found\n',
    });
    expect(await fixture.respond(['list', '--phase', 'Done'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('explain', () => {
  test('reads the event, the configuration and the gate', async () => {
    const { code, stdout, stderr } = await fixture.respond(['explain', 'er-1'], { now });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      'SecurityEvent se-1 is ClusterAdminGranted, severity high, ClusterRoleBinding admin\n',
    );
    expect(stdout).toMatch(
      /✔ GitOpsResponderConfig ugallu-system\/default: generation \d+ has not been checked by a responder yet\n/,
    );
    expect(stdout).toContain('✔ route 1 is selected\n');
    expect(stdout).toContain('✗ Gate flux-system/freeze is closed: stop the line; the responder waits\n');
    expect(stdout).toMatch(/Branch ugallu\/se-1\/[0-9a-f]{8} → main\n/);
  });

  test('shows the progress of the response', async () => {
    const { stdout } = await fixture.respond(['explain', 'er-3'], { now });
    expect(stdout.slice(stdout.indexOf('Status'))).toBe(
      'Status\n  Succeeded, Submitted: 1 attempt\n  ActionTaken: opened\n  pull request https://github.com/o/r/pull/7 is open\n',
    );
    const running = await fixture.respond(['explain', 'er-2'], { now });
    expect(running.stdout).toContain(
      'Status\n  Running, Planned: 2 attempts\n  the last attempt failed (Transient, RateLimited): too many requests\n  no attempt before 2026-11-21T12:01:00Z\n',
    );
  });

  test.each([
    ['er-4', 3],
    ['er-5', 3],
    ['er-9', 1],
  ])('%s exits with %d', async (name, code) => {
    expect(await fixture.respond(['explain', name], { now })).toMatchObject({ code });
  });

  test('searches for the file of the subject even if the Flux kinds are not installed', async () => {
    const { code, stdout } = await fixture.respond(['explain', 'er-6'], { now });
    expect(code).toBe(1);
    expect(stdout).toContain(
      '✗ Plan: the file of the subject was not found: Kustomization flux-system/apps does not exist; name its path in the operation\n',
    );
  });

  test('shows which generation is in use', async () => {
    const explained = async () => (await fixture.respond(['explain', 'er-1'], { now })).stdout;
    const inUse = `inUse: { generation: 1, since: "${now}", routes: 3 }`;
    const apply = (text: string, observed: number, status: string) =>
      fixture.apply(`${text}status: { observedGeneration: ${observed}, ${status} }\n`, 'ugallu-system');
    await apply(gated, 1, inUse);
    expect(await explained()).toContain(
      '✔ GitOpsResponderConfig ugallu-system/default: generation 1 is in use; it is not ready\n',
    );
    await apply(gated.replaceAll('.Source.SE', '.event }}{{ end'), 1, inUse);
    expect(await explained()).toMatch(
      /✗ GitOps.*: generation 2 has not been checked by a responder yet\n {2}✗ spec\.routes\[1\]\.prTemplate/,
    );
    const { spec } = parse(gated) as { spec: object };
    const wrong = gated.replaceAll('.Source.SE', '.event }}{{ end');
    await apply(wrong, 2, inUse.replace(' }', `, spec: ${JSON.stringify(spec)} }`));
    const { code, stdout } = await fixture.respond(['explain', 'er-1', '--dry-run'], { now });
    expect(code).toBe(0);
    expect(stdout).toContain(
      'generation 2 is invalid; generation 1 stays in use, and its routes are shown\n',
    );
    expect(stdout).toContain('Triggered by `ClusterAdminGranted` on `admin`.\n');
    await apply(wrong, 2, 'inUse: null');
    expect(await fixture.respond(['explain', 'er-1'], { now })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('generation 2 is invalid; nothing is routed\n'),
    });
  });

  test('completes the names of responses', async () => {
    const complete = (...words: string[]) =>
      fixture.cli([
        '__complete',
        'respond',
        ...words.slice(0, -1),
        '--kubeconfig',
        fixture.kubeconfig,
        words.at(-1) ?? '',
      ]);
    expect((await complete('explain', 'er-')).stdout).toBe('er-1\ner-2\ner-3\ner-4\ner-5\ner-6\n:4\n');
    expect((await complete('ex')).stdout).toMatch(/^explain\t.*\n:4\n$/);
    expect((await complete('list', '--ph')).stdout).toMatch(/^--phase\t.*\n:4\n$/);
  });
});

test('prints changes with -w', async () => {
  const stopping = new AbortController();
  let isWatching = false;
  const { code, stdout } = await fixture.respond(['list', '-w', '--phase', 'Running'], {
    now,
    signal: stopping.signal,
    onOutput: (text) => {
      if (isWatching && text.includes('again')) stopping.abort();
      if (isWatching) return;
      isWatching = true;
      void fixture.client.apply(
        EventResponse,
        {
          metadata: { name: 'er-2' },
          status: { phase: 'Running', error: { type: 'Transient', detail: 'again' } },
        },
        { fieldManager: 'other', subresource: 'status', force: true },
      );
    },
  });
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.startsWith('er-2'))).toHaveLength(2);
});
