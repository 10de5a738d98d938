import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Files } from './harness/files.js';
import { Fixture } from './harness/fixture.js';
import * as responding from './respond/manifests.js';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block.split('\n').filter((line) => line !== ''),
);
/** The exit codes other than 0, on a cluster without problems in which a source is held. */
const codes: Readonly<Record<string, number>> = {
  'interlock gate why gitrepository/flux-system': 3,
  'interlock gate doctor --hold-age 48h': 1,
  'interlock respond explain er-1 --responder-name team-b-responder': 3,
};

const manifests = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateOverride
metadata:
  name: change-freeze-open-x7k2p
  annotations: { gating.toolkit.fluxcd.io/approved-by: '["bob"]' }
spec: { gateRef: { name: change-freeze }, effect: Open, reason: CVE, duration: 30m }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: change-freeze }
spec: { closed: true }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: bypass-signoff }
spec: { closed: true }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: change-freeze-gatekeeper }
spec:
  gate: change-freeze
  type: cronexpression
  cronjob:
    closed: ['* * 20-30 11 *', '* * 15-31 12 *']
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: sources }
spec:
  targets: [{ kind: GitRepository, name: flux-system }]
  require: oneOf
  refs: [{ name: change-freeze }, { name: bypass-signoff }]
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: flux-system }
spec: {}
`;

const parameters = { path: 'a.txt', contents: 'x\n' };

let fixture: Fixture;
let files: Files;

beforeAll(async () => {
  files = await Files.start();
  fixture = await Fixture.start();
  await fixture.apply(manifests);
  await fixture.apply(
    [responding.config, responding.event, responding.response(parameters, { uid: '' })].join('---\n'),
    'ugallu-system',
  );
  await files.write('gates.yaml', manifests);
  await files.write('config.yaml', responding.config);
  await files.write('event.yaml', responding.event);
  await files.write('response.yaml', responding.response(parameters));
  await files.write('gitops/rbac/b.yaml', responding.binding);
});
afterAll(async () => {
  await files.close();
  await fixture.close();
});

/** Splits a line into words, some of which are in double quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('documents all commands', () => {
  const names = new Set(commands.map((line) => wordsOf(line).slice(1, 3).join(' ')));
  const gate = 'get open close approve why simulate calendar audit doctor lint export version completion';
  const all = [
    ...gate.split(' ').map((name) => `gate ${name}`),
    ...['respond list', 'respond explain', '__complete gate', '__complete respond'],
    ...['uninstall', 'uninstall --namespace', 'uninstall --yes'],
  ];
  expect([...names].sort()).toEqual(all.sort());
});

test.each(commands)('runs the documented command: %s', async (line) => {
  const [, ...words] = wordsOf(line);
  const isOffline = ['lint', 'version', 'completion'].includes(words[1] ?? '') || words.includes('-f');
  const needsCluster = !isOffline && words[0] !== '__complete';
  const args = words.map((word) => (/\.yaml$|^\.\//.test(word) ? join(files.folder, word) : word));
  const { code, stderr } = await fixture.cli([
    ...args,
    ...(needsCluster ? ['--kubeconfig', fixture.kubeconfig] : []),
  ]);
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({
    line,
    code: codes[line] ?? 0,
    stderr: '',
  });
});
