import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GitRepository, PromotionStrategy, ScmProvider } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const stuckRepositories = 60;
const refreshes = 12;
let silent: Server;
const waiting = new Set<Socket>();

beforeAll(async () => {
  /* It accepts connections and never responds. */
  silent = createServer((socket) => {
    waiting.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => waiting.delete(socket));
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  waiting.forEach((socket) => socket.destroy());
  silent.close();
});
const fixture = useFixture();

/** Adds to a namespace repositories whose remote never responds, and strategies that cause reads of them. */
async function addStuckRepositories(team: Team): Promise<void> {
  const { port } = silent.address() as AddressInfo;
  await team.apply(ScmProvider, 'silent', { spec: { noop: {} } });
  for (let n = 0; n < stuckRepositories; n++) {
    const scmProviderRef = { name: 'silent' };
    const noop = { url: `http://127.0.0.1:${port}/repository-${n}.git` };
    await team.apply(GitRepository, `stuck-${n}`, { spec: { scmProviderRef, noop } });
    const repoRef = { name: `stuck-${n}` };
    const environments = [{ branch: 'dev' }];
    await team.apply(PromotionStrategy, `stuck-${n}`, { spec: { repoRef, dryBranch: 'main', environments } });
  }
}

it('serves refreshes and webhooks of a tenant while 60 repositories of another wait for a server', async () => {
  const [greedy, modest] = [
    await fixture.team(),
    await fixture.team({ environments: ['dev'], webhooks: true }),
  ];
  await modest.applyStrategy();
  await eventually(() => modest.environment('dev'));
  await addStuckRepositories(greedy);
  await eventually(() => expect(waiting.size).toBeGreaterThanOrEqual(4));

  for (let count = 0; count < refreshes; count++) {
    const { drySHA } = await modest.propose();
    await modest.refresh();
    await modest.runs('dev', drySHA);
    expect(waiting.size).toBeGreaterThan(0);
  }
  expect(await modest.pulls('dev')).toHaveLength(refreshes);
});
