import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { openCluster, type TestCluster } from './testing/cluster.js';
import { blocks, describeWithBoth, readPage, runCommand } from './testing/page.js';
import { openWorkshop, root, type Values, type Workshop } from './testing/workshop.js';

const page = readPage('install.md');
const sections = new Map(
  page.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

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

describeWithBoth('docs/install.md', () => {
  it('has no commands that these tests do not run', () => {
    const named = [
      'Install all controllers',
      'Without a cluster',
      'OpenShift',
      'Upgrade',
      'Uninstall',
      'One chart at a time',
    ].flatMap(commandsOf);
    expect(blocks('sh', page).join('').trim().split('\n')).toEqual(named);
    expect(named.length).toBeGreaterThan(8);
  });

  it.each([
    [['Install all controllers', 'OpenShift', 'Upgrade', 'Uninstall']],
    [['Without a cluster']],
    [['One chart at a time']],
  ])('has commands that work as written: %j', async (names) => {
    for (const command of names.flatMap(commandsOf)) await runCommand(command, cluster, workshop);
  });

  it.each(blocks('yaml', page))('has values that the chart accepts: %s', async (block) => {
    await workshop.helm.output(['dependency', 'build', 'charts/interlock']);
    expect(await workshop.render('interlock', parse(block) as Values)).not.toEqual([]);
  });

  it('names values that exist', () => {
    const table = sections.get('Important values') ?? '';
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

describeWithBoth('docs/gitops-responder.md', () => {
  const responder = readPage('gitops-responder.md');

  it('has commands that work as written', async () => {
    const commands = blocks('sh', responder).flatMap((block) => block.trim().split('\n'));
    for (const command of commands) await runCommand(command, cluster, workshop);
    expect(commands.length).toBeGreaterThan(2);
  });

  it('names flags that the chart sets from existing values', async () => {
    await workshop.helm.output(['dependency', 'build', 'charts/gitops-responder']);
    const rendered = JSON.stringify(await workshop.render('gitops-responder'));
    const values = parse(readFileSync(join(root, 'charts/gitops-responder/values.yaml'), 'utf8')) as Values;
    const rows = [...responder.matchAll(/^\| (`--.*?) \|[^|]*\|([^|]*)\|/gm)];
    const named = (cell = ''): string[] => [...cell.matchAll(/`(.+?)`/g)].map(([, name = '']) => name);
    for (const [, flags, names] of rows) {
      for (const flag of named(flags)) expect(rendered).toContain(`"${flag}=`);
      for (const name of named(names)) expect(values).toHaveProperty(name);
    }
    expect(rows).toHaveLength(8);
  });

  it('names the Service and the Roles of a release with the name of the chart', async () => {
    await workshop.helm.output(['dependency', 'build', 'charts/gitops-responder']);
    const manifests = await workshop.render('gitops-responder', {}, 'gitops-responder');
    const rendered = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const named = [...responder.matchAll(/\b(Service|Role)\s`([^`…]+)`/g)].map(
      ([, kind, name]) => `${kind} ${name}`,
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !rendered.includes(name))).toEqual([]);
  });

  it('has values that the chart accepts', async () => {
    await workshop.helm.output(['dependency', 'build', 'charts/gitops-responder']);
    const values = blocks('yaml', responder).filter((block) => !block.startsWith('apiVersion: '));
    for (const block of values)
      expect(await workshop.render('gitops-responder', parse(block) as Values)).not.toEqual([]);
    expect(values).toHaveLength(1);
  });
});

describeWithBoth('docs/egress-proxy.md', () => {
  it('has values that the charts accept', async () => {
    const values = blocks('yaml', readPage('egress-proxy.md')).map(
      (block) => [/^# values of charts\/([\w-]+)/.exec(block)?.[1], parse(block) as Values] as const,
    );
    expect(values.map(([chart]) => chart)).toEqual(['egress-proxy', 'agc']);
    for (const [index, chart] of (['egress-proxy', 'agc'] as const).entries()) {
      await workshop.helm.output(['dependency', 'build', `charts/${chart}`]);
      expect(await workshop.render(chart, values[index]?.[1])).not.toEqual([]);
    }
  });
});
