import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { World } from './harness/world.js';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block.split('\n').filter((line) => line !== ''),
);
/** Commands that end in another way on a cluster where nothing is wrong but that a source is held. */
const codes: Readonly<Record<string, number>> = {
  'interlock gate why gitrepository/flux-system': 3,
  'interlock gate doctor --hold-age 48h': 1,
};

const manifests = `
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

let world: World;
let lintFile: string;

beforeAll(async () => {
  world = await World.start();
  await world.apply(manifests);
  lintFile = join(world.folder, 'gates.yaml');
  await writeFile(lintFile, manifests);
});
afterAll(() => world.close());

/** The words of a line, of which some are in double quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('there are commands', () => {
  const names = new Set(commands.map((line) => wordsOf(line)[2]));
  const all = 'get open close why simulate calendar audit doctor lint export version completion';
  expect([...names].sort()).toEqual([...all.split(' '), 'gate'].sort());
});

test.each(commands)('%s', async (line) => {
  const [, ...words] = wordsOf(line);
  const needsCluster = !['lint', 'version', 'completion'].includes(words[1] ?? '') && words[0] === 'gate';
  const args = words.map((word) => (word === 'gates.yaml' ? lintFile : word));
  const { code, stderr } = await world.cli([
    ...args,
    ...(needsCluster ? ['--kubeconfig', world.kubeconfig] : []),
  ]);
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({
    line,
    code: codes[line] ?? 0,
    stderr: '',
  });
});
