import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { limitedTo } from './testing/capabilities.js';
import { openCluster, type TestCluster } from './testing/cluster.js';
import { describeWithHelm, openWorkshop, root, type Values, type Workshop } from './testing/workshop.js';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) process.stdout.write('skipped: kubectl is not on this machine\n');
const describeWithBoth = hasKubectl ? describeWithHelm : describe.skip;

const page = readFileSync(join(root, 'docs/install.md'), 'utf8');
const sections = new Map(
  page.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

/** @returns the blocks of code of one language. */
const blocks = (language: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');
const commandsOf = (section: string): string[] =>
  blocks('sh', sections.get(section) ?? '').flatMap((block) => block.trim().split('\n'));

let cluster: TestCluster;
let workshop: Workshop;
beforeEach(async () => {
  cluster = await openCluster({ withNamespace: false });
  workshop = await openWorkshop({ withDependencies: false });
  writeFileSync(join(workshop.folder, 'values.yaml'), blocks('yaml', page)[0] ?? '');
});
afterEach(async () => {
  workshop.close();
  await cluster.close();
});

/** Runs a command of the page. @throws Error when it fails. */
async function run(command: string): Promise<void> {
  const [program = '', ...args] = command.split(' ');
  const kubeconfig = `--kubeconfig=${cluster.writeKubeconfig(workshop.folder)}`;
  if (program === 'kubectl') {
    await promisify(execFile)(program, [kubeconfig, ...args], { cwd: workshop.folder, timeout: 60_000 });
    return;
  }
  expect(program).toBe('helm');
  const [verb, , chart = ''] = args;
  const limits =
    verb === 'install' || verb === 'upgrade' ? await limitedTo(cluster, chart.replace('charts/', '')) : [];
  await workshop.helm.output([...args, kubeconfig, ...limits]);
}

describeWithBoth('docs/install.md', () => {
  it('has all its commands run here', () => {
    const named = ['Everything', 'Upgrade', 'Remove', 'One chart at a time'].flatMap(commandsOf);
    expect(blocks('sh', page).join('').trim().split('\n')).toEqual(named);
    expect(named.length).toBeGreaterThan(8);
  });

  it.each([[['Everything', 'Upgrade', 'Remove']], [['One chart at a time']]])(
    'works as written: %j',
    async (names) => {
      for (const command of names.flatMap(commandsOf)) await run(command);
    },
  );

  it.each(blocks('yaml', page))('has values that the chart takes: %s', async (block) => {
    await workshop.helm.output(['dependency', 'build', 'charts/interlock']);
    expect(await workshop.render('interlock', parse(block) as Values)).not.toEqual([]);
  });

  it('names values that exist', () => {
    const table = sections.get('Values that matter') ?? '';
    const rows = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => [
      ...(cell ?? '').matchAll(/`(.+?)`/g),
    ]);
    const values: unknown = parse(readFileSync(join(root, 'charts/promoter/values.yaml'), 'utf8'));
    for (const [, path = ''] of rows) {
      const value = path.split('.').reduce<unknown>((at, name) => (at as Values | undefined)?.[name], values);
      expect([path, value]).toEqual([path, expect.anything()]);
    }
    expect(rows.length).toBeGreaterThan(8);
  });
});
