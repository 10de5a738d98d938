import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { createClient } from '@interlock/kube';
import { Command } from 'commander';
import { parse } from 'yaml';
import { assetsFromEnvironment, assetsVariable } from './assets.js';
import { startControlPlane, type ControlPlane } from './control-plane.js';
import { removeDeletedNamespaces } from './namespaces.js';

interface Flags {
  assets?: string;
  kubeconfig?: string;
  untilStdinEnds?: boolean;
}

const flags = new Command('envtest')
  .description('Runs a Kubernetes control plane on 127.0.0.1 until SIGINT or SIGTERM.')
  .option('--assets <folder>', `the folder of etcd and kube-apiserver; default: ${assetsVariable}`)
  .option('--kubeconfig <file>', 'file to which the kubeconfig of an administrator is written')
  .option('--until-stdin-ends', 'end when standard input is closed')
  .parse()
  .opts<Flags>();

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(new Error(name)));
if (flags.untilStdinEnds) {
  process.stdin.once('close', () => stopping.abort(new Error('standard input ended'))).resume();
}
const { signal } = stopping;

try {
  const plane = await startControlPlane({ assets: flags.assets ?? assetsFromEnvironment(), signal });
  try {
    await serve(plane);
  } finally {
    await plane.close();
    process.stdin.destroy();
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function serve({ url, version, kubeconfig, kubeconfigPath, hasControllerManager }: ControlPlane) {
  if (flags.kubeconfig !== undefined) await copyFile(kubeconfigPath, flags.kubeconfig);
  const controllers = hasControllerManager ? 'with' : 'without';
  process.stdout.write(`envtest serves ${url} (Kubernetes ${version}, ${controllers} controllers)\n`);
  if (hasControllerManager) return void (signal.aborted || (await once(signal, 'abort')));
  const client = createClient({
    kubeConfig: parse(kubeconfig) as object,
    userAgent: 'envtest',
    defaultFieldManager: 'envtest',
  });
  await removeDeletedNamespaces(client, signal, (problem) => process.stderr.write(`${problem}\n`));
  await client.close();
}
