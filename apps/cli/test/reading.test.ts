import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Gate } from '@interlock/api';
import { parse, parseAllDocuments } from 'yaml';
import { version } from '../src/version.js';
import { Fixture } from './harness/fixture.js';

const now = '2026-11-21T12:00:00Z';
let fixture: Fixture;

const objects = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata:
  name: change-freeze
  labels: { team: a }
spec:
  closed: true
status:
  state: Closed
  cause: GateKeeper/change-freeze-gatekeeper
  message: "GateKeeper/change-freeze-gatekeeper: closed in the window \\"* * 20-30 11 *\\" (UTC)"
  since: 2026-11-20T00:00:00Z
  next: { at: 2026-12-01T00:00:00Z, state: Open, cause: GateKeeper/change-freeze-gatekeeper }
  validUntil: 2026-11-21T13:00:00Z
  conditions:
    - { type: Ready, status: "True", reason: Reconciled, message: ok, lastTransitionTime: 2026-11-20T00:00:00Z }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata:
  name: old
spec:
  closed: false
status:
  state: Open
  validUntil: 2026-11-21T11:00:00Z
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata:
  name: change-freeze-gatekeeper
spec:
  gate: change-freeze
  type: cronexpression
  cronjob:
    closed:
      - '* * 20-30 11 *'
      - '* * 15-31 12 *'
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata:
  name: sources
spec:
  targets:
    - kind: GitRepository
      name: flux-system
  refs:
    - name: change-freeze
status:
  state: Closed
  targetCount: 1
  heldCount: 1
  message: change-freeze is closed
  holds:
    - kind: GitRepository
      name: flux-system
      since: 2026-11-20T00:00:00Z
      revision: main@sha1:0ee437c33f499e2f588f60e6a92a547f6d5845f8
      confirmed: true
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: flux-system
spec: {}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: free
spec: {}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: annotated
  annotations:
    gating.toolkit.fluxcd.io/gates: change-freeze, missing
    gating.toolkit.fluxcd.io/require: oneOf
spec: {}
`;

const tabs = (text: string) => text.replaceAll('\t', ' | ');

beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.apply(objects);
});
afterAll(() => fixture.close());

describe('get', () => {
  test('get gates: treats an expired state as closed', async () => {
    const { code, stdout } = await fixture.gate(['get', 'gates'], { now });
    expect(code).toBe(0);
    expect(tabs(stdout)).toBe(
      [
        'NAME          | STATE  | CAUSE                               | UNTIL                | READY | MESSAGE',
        'change-freeze | Closed | GateKeeper/change-freeze-gatekeeper | 2026-12-01T00:00:00Z | True  | GateKeeper/change-freeze-gatekeeper: closed in the window "* * 20-30 11 *" (UTC)',
        'old           | Closed |                                     |                      | False | the status of the Gate old was valid until 2026-11-21T11:00:00Z; check that the gate-controller is running',
        '',
      ].join('\n'),
    );
  });

  test.each([
    [['gates', '-A', '--no-header', '-l', 'team=a'], /^flux-system \| change-freeze \| Closed /],
    [['gate', 'change-freeze', '--no-header'], /^change-freeze \| Closed \| .*\n$/],
    [
      ['gatekeepers'],
      /^NAME .*\nchange-freeze-gatekeeper \| change-freeze \| cronexpression \| .*waiting to be reconciled\n$/,
    ],
    [['bindings', '--no-header'], /^sources \| Suspend \| Closed \| 1 \| 1 \| .*change-freeze is closed\n$/],
  ])('get with %j selects objects', async (args, expected) => {
    const { code, stdout } = await fixture.gate(['get', ...args], { now });
    expect(code).toBe(0);
    expect(tabs(stdout).replace(/ +/g, ' ')).toMatch(expected);
  });

  test('get holds: abbreviates revisions', async () => {
    const { stdout } = await fixture.gate(['get', 'holds'], { now });
    expect(tabs(stdout)).toBe(
      [
        'NAME                      | BINDING | GATES         | HELD               | PENDING | SINCE',
        'gitrepository/flux-system | sources | change-freeze | main@sha1:0ee437c3 |         | 2026-11-20T00:00:00Z',
        '',
      ].join('\n'),
    );
  });

  test('get prints JSON and YAML with -o', async () => {
    const json = await fixture.gate(['get', 'gate', 'old', '-o', 'json'], { now });
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'Gate',
      metadata: { name: 'old' },
      spec: { closed: false },
    });
    const list = await fixture.gate(['get', 'gates', '-o', 'yaml'], { now });
    expect(parse(list.stdout)).toMatchObject({ kind: 'List', items: [{ kind: 'Gate' }, { kind: 'Gate' }] });
    const holds = await fixture.gate(['get', 'holds', '-o', 'json'], { now });
    expect(JSON.parse(holds.stdout)).toMatchObject({
      items: [{ kind: 'GitRepository', binding: 'sources' }],
    });
  });

  test.each([
    ['flux-system', 'sources', [{ kind: 'GitRepository', binding: 'sources' }]],
    ['ugallu-system', 'unheld', []],
  ])('get holds lists all holds of one binding as data: %s/%s', async (namespace, name, items) => {
    const binding = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: unheld }
spec: { refs: [{ name: change-freeze }], targets: [{ kind: GitRepository, name: app }] }
`;
    await fixture.apply(binding, 'ugallu-system');
    const { code, stdout } = await fixture.gate(['get', 'holds', name, '-n', namespace, '-o', 'json'], {
      now,
    });
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'List', items });
    expect(code).toBe(0);
  });

  test('get separates the changes with -w and -o yaml, so that they can be parsed', async () => {
    const stop = new AbortController();
    const key = { namespace: 'flux-system', name: 'old' };
    const annotate = (value: string | null) =>
      fixture.client.patch(Gate, key, { type: 'merge', patch: { metadata: { annotations: { value } } } });
    const { stdout } = await fixture.gate(['get', 'gate', 'old', '-w', '-o', 'yaml'], {
      now,
      signal: stop.signal,
      onOutput: (text) => {
        if (text.includes('value: two')) stop.abort();
        else void annotate(text.includes('value: one') ? 'two' : 'one');
      },
    });
    const values = parseAllDocuments(stdout).map((document) =>
      document.getIn(['metadata', 'annotations', 'value']),
    );
    expect(values).toEqual([undefined, 'one', 'two']);
    await annotate(null);
  });

  test('get ends a watch when the reader of its output ends', async () => {
    const end = new AbortController();
    const { code, stdout } = await fixture.gate(['get', 'gate', 'old', '-w', '--no-header'], {
      now,
      outputEnd: end.signal,
      onOutput: () => end.abort(),
    });
    expect(stdout).toMatch(/^old\s/);
    expect(code).toBe(0);
  });

  test('get prints changes with -w', async () => {
    const stop = new AbortController();
    let rows = 0;
    const watching = fixture.gate(['get', 'gates', '-w', '--no-header'], {
      now,
      signal: stop.signal,
      onOutput: (text) => {
        rows += text.split('\n').length - 1;
        if (text.includes('watched')) stop.abort();
        else if (rows === 2) void touch();
      },
    });
    const touch = async () => {
      for (let turn = 0; !stop.signal.aborted; turn += 1)
        await fixture.client.patch(
          Gate,
          { namespace: 'flux-system', name: 'old' },
          {
            type: 'merge',
            patch: {
              status: { state: 'Open', message: `watched ${turn}`, validUntil: '2026-11-21T13:00:00Z' },
            },
          },
          { subresource: 'status' },
        );
    };
    const { code, stdout } = await watching;
    expect(code).toBe(0);
    expect(stdout).toMatch(/watched/);
    await fixture.client.patch(
      Gate,
      { namespace: 'flux-system', name: 'old' },
      { type: 'merge', patch: { status: { validUntil: '2026-11-21T11:00:00Z' } } },
      { subresource: 'status' },
    );
  });

  test.each([
    [['get', 'doors'], 2, '✗ unknown kind doors; write one of gates, keepers, overrides, bindings, holds\n'],
    [
      ['get', 'gate', 'none'],
      1,
      '✗ Gate none not found in flux-system namespace (gating.toolkit.fluxcd.io/v1alpha1)\n',
    ],
    [['get', 'overrides'], 0, '✗ no GateOverride objects found in flux-system namespace\n'],
    [
      ['get', 'gates', '-o', 'xml'],
      2,
      "✗ option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, json, yaml.\n",
    ],
    [
      ['get', 'gates', '--context', 'nowhere'],
      1,
      '✗ the kubeconfig has no context "nowhere"; it has devcluster\n',
    ],
    [
      ['get', 'gates', '--timeout', 'soon'],
      2,
      '✗ --timeout: "soon" is not a duration; write for example 90s, 1h30m or 500ms\n',
    ],
  ])('get with %j exits with %i', async (args, code, stderr) => {
    const result = await fixture.gate(args, { now });
    expect(result).toEqual({ code, stdout: '', stderr });
  });

  test('get holds: reports that nothing is held', async () => {
    const { stderr } = await fixture.gate(['get', 'holds', '-n', 'ugallu-system'], { now });
    expect(stderr).toBe('✗ no held objects found in ugallu-system namespace\n');
  });

  test('impersonates a user with fewer permissions with --as', async () => {
    const { code, stderr } = await fixture.gate(['get', 'gates', '--as', 'mallory', '--as-group', 'guests'], {
      now,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^✗ .*mallory/);
  });

  test('uses the namespace in FLUX_SYSTEM_NAMESPACE or -n', async () => {
    const { stderr } = await fixture.gate(['get', 'gates'], {
      now,
      env: { FLUX_SYSTEM_NAMESPACE: 'elsewhere' },
    });
    expect(stderr).toBe('✗ no Gate objects found in elsewhere namespace\n');
    const unset = await fixture.gate(['get', 'gates', '--no-header'], {
      now,
      env: { FLUX_SYSTEM_NAMESPACE: '' },
    });
    expect(unset.stdout).toMatch(/^change-freeze/);
    const other = await fixture.gate(['get', 'gates', '-n', 'other'], { now });
    expect(other.stderr).toBe('✗ no Gate objects found in other namespace\n');
  });
});

describe('why', () => {
  test('exits with 3 for a held source, and lists the bindings and gates that hold it', async () => {
    const { code, stdout } = await fixture.gate(['why', 'gitrepository/flux-system'], { now });
    expect(stdout).toBe(
      [
        'gitrepository/flux-system is held',
        '  GateBinding/sources (Suspend) closed',
        '    Gate/change-freeze closed: GateKeeper/change-freeze-gatekeeper: closed in the window "* * 20-30 11 *" (UTC)',
        '',
      ].join('\n'),
    );
    expect(code).toBe(3);
  });

  test('exits with 0 for a source without a binding', async () => {
    const { code, stdout } = await fixture.gate(['why', 'gitrepository/free'], { now });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'gitrepository/free is open: no GateBinding applies to it\n',
    });
  });

  test('shows the gates in the annotations of a source; a missing gate holds the source', async () => {
    const { code, stdout } = await fixture.gate(['why', 'GitRepository/annotated', '-o', 'json'], { now });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'Held',
      bindings: [{ state: 'Unknown', gates: [{ state: 'Closed' }, { state: 'Unknown' }] }],
    });
  });

  test('shows that an invalid annotation holds a source', async () => {
    await fixture.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: misspelt
  annotations: { gating.toolkit.fluxcd.io/gates: change-freeze, gating.toolkit.fluxcd.io/require: most }
spec: {}
`);
    const { code, stdout } = await fixture.gate(['why', 'gitrepository/misspelt'], { now });
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^gitrepository\/misspelt is held\n {2}annotation .*\/gates \(Suspend\) invalid: .*\/require.*most/,
    );
  });

  test('shows the state of a gate', async () => {
    const { code, stdout } = await fixture.gate(['why', 'gate/change-freeze'], { now });
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^gate\/change-freeze is closed: .*\n {2}GateKeeper\/change-freeze-gatekeeper closed: /,
    );
  });

  test.each([
    ['pod/x', 2, 'is not KIND/NAME'],
    ['gitrepository/none', 1, 'GitRepository none not found in flux-system namespace'],
    ['gate/none', 1, 'Gate none not found in flux-system namespace; existing gates are change-freeze, old'],
  ])('%s exits with %i', async (object, code, message) => {
    const result = await fixture.gate(['why', object], { now });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });
});

test('escapes the control characters in text that others wrote, and does not let the text start a line', async () => {
  const escape = '\u001b[2J\u001b]0;x\u0007\u009b1m\u202e';
  await fixture.apply(`
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: spoofed }
spec: { closed: true }
status:
  state: Closed
  message: ${JSON.stringify(`${escape}\ngate/spoofed is open: all is well`)}
  validUntil: 2026-11-21T13:00:00Z
`);
  for (const args of [
    ['why', 'gate/spoofed'],
    ['get', 'gates'],
    ['get', 'gate', 'spoofed', '-o', 'yaml'],
    ['get', 'gate', 'spoofed', '-o', 'json'],
  ]) {
    const { stdout, stderr } = await fixture.gate(args, { now });
    expect(stdout + stderr).toContain('all is well');
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    expect(stdout.split('\n').filter((line) => line.startsWith('gate/spoofed is open'))).toEqual([]);
  }
  const json = await fixture.gate(['get', 'gate', 'spoofed', '-o', 'json'], { now });
  expect((JSON.parse(json.stdout) as Gate).status?.message).toContain(escape);
  await fixture.client.delete(Gate, { namespace: 'flux-system', name: 'spoofed' });
});

describe('times', () => {
  test('simulate shows the state at a given time', async () => {
    const { stdout } = await fixture.gate(['simulate', 'change-freeze', '--at', '2026-12-24T18:00:00Z'], {
      now,
    });
    expect(tabs(stdout)).toBe(
      [
        'NAME          | AT                   | STATE  | CAUSE                               | SINCE                | UNTIL                | MESSAGE',
        'change-freeze | 2026-12-24T18:00:00Z | Closed | GateKeeper/change-freeze-gatekeeper | 2026-12-15T00:00:00Z | 2027-01-01T00:00:00Z | GateKeeper/change-freeze-gatekeeper: closed in the window "* * 15-31 12 *" (UTC)',
        '',
      ].join('\n'),
    );
    const json = await fixture.gate(['simulate', 'change-freeze', '-o', 'json'], { now });
    expect(JSON.parse(json.stdout)).toMatchObject({
      at: now,
      state: 'Closed',
      next: { at: '2026-12-01T00:00:00Z' },
    });
    for (const at of ['noon', '2026-11-31T18:00:00Z'])
      expect((await fixture.gate(['simulate', 'change-freeze', '--at', at], { now })).code).toBe(2);
  });

  test('calendar lists periods', async () => {
    const { stdout } = await fixture.gate(
      ['calendar', 'change-freeze', '--days', '60', '--tz', 'Europe/Berlin'],
      { now },
    );
    expect(
      tabs(stdout)
        .replace(/ +/g, ' ')
        .replace(/ \| GateKeeper.*$/gm, ''),
    ).toBe(
      [
        'FROM | TO | STATE | CAUSE | MESSAGE',
        '2026-11-20T01:00:00+01:00 | 2026-12-01T01:00:00+01:00 | Closed',
        '2026-12-01T01:00:00+01:00 | 2026-12-15T01:00:00+01:00 | Open',
        '2026-12-15T01:00:00+01:00 | 2027-01-01T01:00:00+01:00 | Closed',
        '2027-01-01T01:00:00+01:00 | 2027-11-20T01:00:00+01:00 | Open',
        '',
      ].join('\n'),
    );
  });

  test('calendar exports iCalendar text with -o ics', async () => {
    const { stdout } = await fixture.gate(['calendar', 'change-freeze', '--days', '60', '-o', 'ics'], {
      now,
    });
    expect(stdout.match(/^(DTSTART|DTEND|SUMMARY).*$/gm)).toEqual([
      'DTSTART:20261120T000000Z',
      'DTEND:20261201T000000Z',
      'SUMMARY:Gate change-freeze closed',
      'DTSTART:20261215T000000Z',
      'DTEND:20270101T000000Z',
      'SUMMARY:Gate change-freeze closed',
    ]);
    expect(stdout.replaceAll('\r\n ', '').match(/^DESCRIPTION.*$/gm)).toEqual([
      'DESCRIPTION:GateKeeper/change-freeze-gatekeeper: closed in the window "* * 20-30 11 *" (UTC)',
      'DESCRIPTION:GateKeeper/change-freeze-gatekeeper: closed in the window "* * 15-31 12 *" (UTC)',
    ]);
    expect(stdout.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    expect((await fixture.gate(['calendar', 'change-freeze', '--days', 'many'], { now })).code).toBe(2);
  });
});

test('limits an endless closure to the requested days in iCalendar text', async () => {
  await fixture.apply(`
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: shut }
spec: { closed: true }
`);
  const { stdout } = await fixture.gate(['calendar', 'shut', '--days', '10', '-o', 'ics'], { now });
  expect(stdout.match(/^DTEND:.*$/gm)).toEqual(['DTEND:20261201T120000Z']);
  await fixture.client.delete(Gate, { namespace: 'flux-system', name: 'shut' });
});

test('doctor reports problems and forgotten objects', async () => {
  const { code, stdout } = await fixture.gate(['doctor', '--hold-age', '24h', '-o', 'json'], { now });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    findings: [
      {
        severity: 'error',
        object: 'Gate/old',
        message:
          'the status of the Gate old was valid until 2026-11-21T11:00:00Z; check that the gate-controller is running',
      },
      {
        severity: 'warning',
        object: 'GateBinding/sources',
        message: 'gitrepository/flux-system has been held since 2026-11-20T00:00:00Z',
      },
    ],
  });
});

test('finds the bindings that state the namespace of the gate, which is their own', async () => {
  const namespace = 'ugallu-system';
  const objects = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: stated }
spec: { closed: true }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: stating }
spec:
  refs: [{ name: stated, namespace: ${namespace} }, { name: absent, namespace: ${namespace} }]
  targets: [{ kind: GitRepository, name: app }]
`;
  await fixture.apply(objects, namespace);
  const exported = await fixture.gate(['export', 'stated', '-n', namespace], { now });
  expect(exported.stdout.match(/^kind: .*/gm)).toEqual(['kind: Gate', 'kind: GateBinding']);
  const diagnosed = await fixture.gate(['doctor', '-n', namespace], { now });
  expect(diagnosed.stdout).toContain('spec.refs: Gate absent does not exist');
});

test('export prints manifests that can be applied again', async () => {
  const { stdout } = await fixture.gate(['export', 'change-freeze'], { now });
  expect(stdout.match(/^kind: .*/gm)).toEqual(['kind: Gate', 'kind: GateKeeper', 'kind: GateBinding']);
  expect(stdout).not.toMatch(/status|resourceVersion|uid/);
  await fixture.apply(stdout.replace(/^---\n/, ''));
});

test.each([
  ['export', ['export', 'paged']],
  ['get -o yaml', ['get', 'gate', 'paged', '-o', 'yaml']],
])('%s quotes the words that kubectl would read as booleans', async (_, args) => {
  const namespace = 'ugallu-system';
  const objects = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: paged, annotations: { example.com/pager: 'off' } }
spec: { closed: true }
`;
  await fixture.apply(objects, namespace);
  const { stdout } = await fixture.gate([...args, '-n', namespace], { now });
  expect(parse(stdout.replace(/^---\n/, ''), { version: '1.1' })).toMatchObject({
    metadata: { annotations: { 'example.com/pager': 'off' } },
  });
});

describe('the program', () => {
  const commands = [
    'get',
    'open',
    'close',
    'why',
    'simulate',
    'calendar',
    'audit',
    'doctor',
    'lint',
    'export',
  ];
  test.each([[], ...commands.map((name) => [name])])('prints the help of gate %s', async (...words) => {
    const { code, stdout } = await fixture.cli(['gate', ...words, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('can be called by any of three names', async () => {
    const text = async (as: string, args: string[]) => (await fixture.cli(args, { as })).stdout;
    expect(await text('interlock', ['gate', 'version'])).toBe(`interlock gate: v${version}\n`);
    expect(await text('flux-gate', ['version'])).toBe(`flux-gate: v${version}\n`);
    expect(await text('kubectl-interlock', ['gate', 'version', '-o', 'json'])).toBe(
      `{\n  "kubectl interlock gate": "v${version}"\n}\n`,
    );
    expect(await text('flux-gate', ['close', '--help'])).toMatch(/^Usage: flux-gate close /);
  });

  test('has the version of its package', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    expect((JSON.parse(text) as { version: string }).version).toBe(version);
  });

  test.each([
    [['gate', 'shut'], "✗ unknown command 'shut'\n"],
    [['gate', 'open', 'x'], "✗ missing required argument 'reason'\n"],
    [['gate', 'get', 'gates', '--frob'], "✗ unknown option '--frob'\n"],
    [['gate', 'completion', 'tcsh'], '✗ unknown shell tcsh; write one of bash, zsh, fish\n'],
  ])('exits with 2 for %j', async (args, stderr) => {
    expect(await fixture.cli(args)).toEqual({ code: 2, stdout: '', stderr });
  });

  test('prints the program that kubectl calls to complete the arguments of the plugin', async () => {
    const { stdout } = await fixture.cli(['gate', 'completion', 'bash'], { as: 'kubectl-interlock' });
    expect(stdout).toContain('kubectl_complete-interlock');
    expect(stdout).toContain('exec kubectl-interlock __complete "$@"');
    expect(stdout).not.toContain('complete -F');
  });

  test.each(['bash', 'zsh', 'fish'])('prints a completion script for %s', async (shell) => {
    expect((await fixture.cli(['gate', 'completion', shell])).stdout).toMatchSnapshot();
  });
});
