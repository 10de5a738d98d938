import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { customResources } from './groups/custom-resources/index.js';
import { runGroups, type Result } from './suite/run.js';
import { connect } from './suite/target.js';

const variable = 'INTERLOCK_CRD_ORACLE';
const oracle = process.env[variable];
const startTimeoutMs = 120_000;
const runTimeoutMs = 300_000;
const stopTimeoutMs = 30_000;

const run = promisify(execFile);

/** Returns the kubeconfig of a server with a self-signed certificate that accepts any bearer token. */
function kubeconfigOf(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'oracle',
    contexts: [{ name: 'oracle', context: { cluster: 'oracle', user: 'oracle' } }],
    clusters: [{ name: 'oracle', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'oracle', user: { token: 'any' } }],
  };
}

const cases = customResources.cases.filter(({ needs }) => needs.length === 0);

if (oracle === undefined) {
  describe('The CustomResourceDefinition server of Kubernetes', () => {
    it.skip(`keeps the rules of custom-resources: ${variable} does not name a folder with start and stop`, () =>
      undefined);
  });
} else {
  describe('The CustomResourceDefinition server of Kubernetes', () => {
    let folder: string;
    const results = new Map<string, Result>();

    /* The cases run concurrently, because the server takes a second to serve a new definition. */
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'crd-oracle-'));
      const { stdout } = await run(path.join(oracle, 'start'), [folder], { timeout: startTimeoutMs });
      const target = await connect({ kubeconfig: kubeconfigOf(stdout.trim()) });
      const onResult = (result: Result): void => void results.set(result.name, result);
      await runGroups(target, [{ ...customResources, cases }], { concurrency: 48, onResult }).finally(() =>
        target.close(),
      );
    }, startTimeoutMs + runTimeoutMs);
    afterAll(async () => {
      await run(path.join(oracle, 'stop'), [folder], { timeout: stopTimeoutMs });
      await rm(folder, { recursive: true });
    }, stopTimeoutMs);

    it.each(cases)('$name', ({ name }) => {
      expect(results.get(name)?.outcome).toEqual({ kind: 'passed' });
    });
  });
}
