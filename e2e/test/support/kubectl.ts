import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigFlags, type KubeconfigFile } from '@interlock/stack';
import { run, type ProgramOptions } from './program.js';

const present = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

/** The reason why the tests with kubectl cannot run here, if any. */
export const whyNoKubectl = present ? undefined : 'kubectl is not on this machine';

export interface Answer {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The unmodified kubectl, for one cluster. */
export class Kubectl {
  readonly #home: string;
  readonly #kubeconfig: KubeconfigFile;

  /** @param home a folder for its cache and for manifests */
  constructor(home: string, kubeconfig: KubeconfigFile) {
    this.#home = home;
    this.#kubeconfig = kubeconfig;
  }

  /** Runs kubectl. Returns its output and exit code. */
  run(args: readonly string[], options: ProgramOptions = {}): Promise<Answer> {
    return run('kubectl', [...kubeconfigFlags(this.#kubeconfig), ...args], {
      ...options,
      env: { HOME: this.#home, ...options.env },
    });
  }

  /** Returns the standard output. @throws Error with the output when it fails */
  async output(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Applies a manifest. @returns the output */
  async apply(manifest: string, ...args: string[]): Promise<Answer> {
    const file = join(this.#home, 'manifest.yaml');
    await writeFile(file, manifest);
    return this.run(['apply', '-f', file, ...args]);
  }
}
