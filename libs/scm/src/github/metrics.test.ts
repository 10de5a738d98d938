import type { FaultEffect } from '@interlock/forge';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusScmMetrics } from '../metrics.js';
import { createScmRegistry, type ScmRegistry } from '../registry.js';
import type { ScmRepository } from '../scm.js';
import { GithubForge, type Tenant } from '../testing/github-forge.js';
import { GithubActions } from '../testing/github-actions.js';
import { githubPlugin } from './plugin.js';
import { useForge } from '../testing/use-forge.js';

const github = useForge(() => GithubForge.start());
let tenant: Tenant;
let metrics: Registry;
let registry: ScmRegistry;
let repository: ScmRepository;
let sha: string;

beforeEach(async () => {
  tenant = await github().tenant('app');
  sha = await new GithubActions(tenant).commit('main');
  metrics = new Registry();
  registry = createScmRegistry({
    plugins: [githubPlugin()],
    clock: github().clock,
    metrics: prometheusScmMetrics(metrics),
  });
  repository = registry.repository(tenant.provider, tenant.secret, tenant.gitRepository);
});
afterEach(() => registry.close());

const from = 'namespace="team",scm_provider="acme",scm_provider_kind="ScmProvider"';

/** Returns how often calls of an API were made, by operation and outcome. */
async function calls(api: string): Promise<Record<string, number>> {
  const lines = (await metrics.metrics()).matchAll(
    new RegExp(
      `^scm_calls_total\\{${from},api="${api}",operation="(\\w+)",response_code="(\\w+)"\\} (\\d+)$`,
      'gm',
    ),
  );
  return Object.fromEntries(
    [...lines].map(([, operation = '', code = '', count]) => [`${operation} ${code}`, Number(count)]),
  );
}

const refusal = (status: number): FaultEffect => ({ status, body: { message: 'no' } });
const set = (phase: 'queued' | 'success') => repository.ensureCommitStatus({ sha, name: 'health', phase });
const failed = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ name: 'TypedError' });

test.each<[string, FaultEffect, string]>([
  ['refused', refusal(403), '403'],
  ['invalid', refusal(422), '422'],
  ['failing', refusal(503), '503'],
  ['limited', { rateLimit: 'secondary' }, '403'],
  ['not answered', { cutBeforeResponse: true }, 'error'],
])(
  'counts the requests that create and change a check run when the first request of each kind is %s',
  async (_, effect, code) => {
    const routes = ['/repos/{owner}/{repo}/check-runs', '/repos/{owner}/{repo}/check-runs/{check_run_id}'];
    const [created, changed] = routes.map((route) => ({
      match: { route, kind: 'write' as const },
      ...effect,
    }));
    github().forge.faults.add(created!);
    await failed(set('queued'));
    await github().clock.advance(120_000);
    await set('queued');
    github().forge.faults.add(changed!);
    await failed(set('success'));
    expect(await calls('CommitStatus')).toEqual({
      'list 200': 2,
      'list 304': 1,
      [`create ${code}`]: 1,
      'create 201': 1,
      [`update ${code}`]: 1,
    });
  },
);

test('counts tokens for the namespace that needs them, and logins for the namespace of the provider', async () => {
  await repository.describe();
  expect(await calls('Auth')).toEqual({ 'installation 200': 1, 'token 201': 1 });
  await registry.connect(tenant.provider, tenant.secret).login();
  expect(await metrics.metrics()).toContain(
    `scm_calls_total{${from},api="Auth",operation="identify",response_code="200"} 1`,
  );
});
