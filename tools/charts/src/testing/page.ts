import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import { limitedTo } from './capabilities.js';
import type { TestCluster } from './cluster.js';
import { describeWithHelm, root, type Workshop } from './workshop.js';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) process.stdout.write('skipped: kubectl is not on this machine\n');

/** A group of tests that require Helm and kubectl. */
export const describeWithBoth: typeof describe.skip = hasKubectl ? describeWithHelm : describe.skip;

/** Returns a page of the documentation. */
export const readPage = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

/** Returns the blocks of code of one language. */
export const blocks = (language: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');

/** Runs a command of a page. @throws Error when it fails. */
export async function runCommand(command: string, cluster: TestCluster, workshop: Workshop): Promise<void> {
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
