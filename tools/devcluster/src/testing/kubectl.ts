import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { stringify } from 'yaml';
import { startDevCluster, type DevCluster } from '../index.js';

/** Whether kubectl is installed; otherwise tests that require it are skipped. */
export const hasKubectl: boolean = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) process.stdout.write('skipped: kubectl is not on this machine\n');

/** The output of a command and its exit code. */
interface CommandResult {
  code: number;
  out: string;
  error: string;
}

/** The kubectl of this machine with a cluster for all tests of a file. */
interface Kubectl {
  cluster: () => DevCluster;
  environment: () => NodeJS.ProcessEnv;
  /** Runs kubectl. `input` is its standard input; an object is sent as YAML. */
  kubectl: (args: string, input?: unknown) => Promise<CommandResult>;
  /** Returns the output of a command. @throws Error when it fails. */
  run: (args: string, input?: unknown) => Promise<string>;
}

/** Starts a cluster before the tests of a file and stops it after them. */
export function useKubectl(): Kubectl {
  let cluster: DevCluster;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
    cluster = await startDevCluster();
    cluster.writeKubeconfig(join(folder, 'kubeconfig'));
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  });
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    KUBECONFIG: join(folder, 'kubeconfig'),
    HOME: folder,
  });
  const kubectl: Kubectl['kubectl'] = (args, input) =>
    new Promise((resolve) => {
      const options = { env: environment(), timeout: 90_000 };
      const child = execFile('kubectl', args.split(' '), options, (error, out, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, error: stderr });
      });
      child.stdin?.end(input === undefined ? '' : typeof input === 'string' ? input : stringify(input));
    });
  const run: Kubectl['run'] = async (args, input) => {
    const { code, out, error } = await kubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args}: ${error}`);
    return out;
  };
  return { cluster: () => cluster, environment, kubectl, run };
}
