import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { ClusterScmProvider, GitRepository, PromotionStrategy } from '@interlock/api';
import { ensureNamespace } from '@interlock/stack';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { createHydrator, promote, type Hydrator } from './hydrator.js';
import { Promotions } from './promotions.js';
import { dryBranch } from './repository.js';
import { Fixture } from './fixture.js';

const deadRemotes = 60;
const promotions = 24;
/* Repositories take turns, so that the webhooks of one repository do not delay each other. */
const teamCount = 8;
const environment = 'dev';

/** Measures the effect on a tenant of another tenant whose 60 remotes accept connections and never respond. */
export async function measureNeighbour({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const dead = await DeadServer.start();
  const fixture = await Fixture.start({ args: [`--scm-hosts=${dead.host}`] });
  try {
    const noted = new Promotions(fixture.platform.forge);
    const commits = Math.ceil((2 * promotions) / teamCount) + 1;
    const teams: Hydrator[] = [];
    while (teams.length < teamCount)
      teams.push(
        await createHydrator(fixture, {
          name: `modest-${teams.length}`,
          environments: [environment],
          commits,
        }),
      );
    await fixture.settled(signal);
    const series = async (count: number): Promise<number> => {
      const durations: number[] = [];
      for (let turn = 0; turn < count; turn++) {
        const team = teams[turn % teamCount];
        if (team !== undefined) durations.push(await promoteAndRun(fixture, noted, team, signal));
      }
      return median(durations);
    };
    await series(teamCount);
    say(`promoter: promotions beside ${deadRemotes} remotes that do not answer`);
    const quiet = await series(promotions);
    await addDeadRemotes(fixture, dead.host);
    await fixture.until(() => dead.connections > 0, signal);
    const beside = await series(promotions);
    const what = `webhook to open pull request beside ${deadRemotes} dead remotes of another tenant`;
    return [
      { metric: `${what}, median`, value: beside, unit: 'ms' },
      { metric: `${what}, times the quiet median`, value: beside / quiet, unit: '1' },
    ];
  } finally {
    await fixture.close();
    dead.close();
  }
}

async function promoteAndRun(
  fixture: Fixture,
  noted: Promotions,
  team: Hydrator,
  signal: AbortSignal,
): Promise<number> {
  const [drySHA] = team.waiting;
  const { pushedAt, openedAt } = await promote(fixture, noted, team, environment, signal);
  await fixture.until(async () => {
    const { namespace } = team;
    const { status } = await fixture.platform.client.get(PromotionStrategy, { namespace, name: 'app' });
    return status?.environments?.[0]?.active?.drySHA === drySHA;
  }, signal);
  return openedAt - pushedAt;
}

async function addDeadRemotes(fixture: Fixture, host: string): Promise<void> {
  const namespace = 'greedy';
  await ensureNamespace(fixture.platform.client, namespace);
  await fixture.apply(ClusterScmProvider, { name: 'dead' }, { noop: {} });
  for (let index = 0; index < deadRemotes; index++) {
    const key = { namespace, name: `dead-${index}` };
    const scmProviderRef = { kind: ClusterScmProvider.kind, name: 'dead' };
    await fixture.apply(GitRepository, key, {
      scmProviderRef,
      noop: { url: `http://${host}/repository-${index}.git` },
    });
    await fixture.apply(PromotionStrategy, key, {
      repoRef: { name: key.name },
      dryBranch,
      environments: [{ branch: environment }],
    });
  }
}

/** A server that accepts connections and never responds. */
class DeadServer {
  readonly #sockets = new Set<Socket>();

  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;

    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<DeadServer> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new DeadServer(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
