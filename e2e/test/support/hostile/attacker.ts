import {
  apiVersionOf,
  ClusterScmProvider,
  Gate,
  GateKeeper,
  GitRepository,
  PromotionStrategy,
  ScmProvider,
  type CustomKind,
} from '@interlock/api';
import { ConfigMap, Secret, ServiceAccount, type Client } from '@interlock/kube';
import { ensureNamespace, repositoryName } from '@interlock/stack';
import { Team } from '../team.js';
import type { Fixture } from '../fixture.js';
import { commitBomb, commitRaw } from './commits.js';
import type { CatchingServer, SilentServer } from './servers.js';

const fieldManager = 'attacker';
const silentRepositories = 60;
const bombMebibytes = 256;
/** The tenant whose commits are hostile. */
const repositories = ['trailers', 'authors', 'bomb'] as const;

/** Credentials that the servers of the attacker must not receive. */
export const canaries = {
  platform: 'canary-platform-token-77d0',
  serviceAccount: 'canary-service-account-token-3b1f',
  configMap: 'canary-password-of-a-config-map-9e2a',
} as const;

const calendar = (...lines: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//hostile//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]): string[] => [
  'BEGIN:VEVENT',
  'UID:hostile',
  'DTSTART:20260101T000000Z',
  'DTEND:20260101T010000Z',
  ...lines,
  'END:VEVENT',
];

/** Calendars whose expansion does not end, or takes long, and a secret that is not a calendar. */
const calendars: Readonly<Record<string, string>> = {
  never: calendar(...event('RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')),
  hourly: calendar(...event('RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30')),
  zone: calendar(
    'BEGIN:VTIMEZONE',
    'TZID:Hostile',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0000',
    'TZOFFSETTO:+0100',
    'RRULE:FREQ=SECONDLY',
    'END:STANDARD',
    'END:VTIMEZONE',
    ...event('DTSTART;TZID=Hostile:20260101T000000'),
  ),
  secret: `password: ${canaries.configMap}\n`,
};

/** The servers of the attacker. */
interface AttackerServers {
  /** A server at a host that the platform allows. */
  silent: SilentServer;
  /** A server at a host that the platform does not allow. */
  catching: CatchingServer;
}

/** A tenant that attacks the apps with objects that a tenant may create. */
export class Attacker {
  readonly #client: Client;

  constructor(
    readonly fixture: Fixture,
    readonly name: string,
    readonly servers: AttackerServers,
  ) {
    this.#client = fixture.platform.client;
  }

  /** Creates the repositories at the forge before the attack, without an effect on the apps. */
  async prepare(template: string, environments: readonly string[]): Promise<() => Promise<void>> {
    const [environment = ''] = environments;
    const trailers = await this.#team('trailers', template, environments);
    const names = ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'];
    const message = `Hostile\n\n${names.map((name) => `${name}: x`).join('\n')}\n`;
    await commitRaw(trailers.local, environment, { message });
    const authors = await this.#team('authors', template, environments);
    await commitRaw(authors.local, environment, { author: '<'.repeat(60_000), message: 'Hostile\n' });
    const bomb = await this.#team('bomb', template, environments);
    await commitBomb(bomb.local, environment, bombMebibytes);
    return async () => {
      for (const team of [trailers, authors, bomb]) {
        await team.connect();
        await team.createStrategy();
      }
    };
  }

  /** Applies the manifests of the attacks. */
  async attack(environments: readonly string[]): Promise<void> {
    await ensureNamespace(this.#client, this.name);
    await this.#closeGates();
    await this.#lureCredentials(environments);
    await this.#occupyWorkers(environments);
  }

  /** Returns the attacks that have had no effect on a status yet. */
  async missing(): Promise<string[]> {
    const keepers = await this.#client.list(GateKeeper, { namespace: this.name });
    const closing: readonly unknown[] = ['Invalid', 'Unknown'];
    const others = keepers.items.filter(({ status }) => !closing.includes(status?.effect));
    const { items } = await this.#client.list(GitRepository);
    const known = items.filter(({ status }) => (status?.conditions ?? []).length > 0);
    const names = [
      ...['lured', 'stolen'].map((name) => `${this.name}/${name}`),
      ...repositories.map((name) => `${this.name}-${name}/${repositoryName}`),
    ];
    const read = new Set(known.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`));
    return [
      ...others.map(({ metadata, status }) => `GateKeeper ${metadata.name} is ${status?.effect}`),
      ...names.filter((name) => !read.has(name)).map((name) => `GitRepository ${name} was not read`),
    ];
  }

  /** Returns the statuses that the attacker can read. */
  async statuses(): Promise<string> {
    const { items } = await this.#client.list(GateKeeper, { namespace: this.name });
    return JSON.stringify(items.map(({ metadata, status }) => ({ name: metadata.name, status })));
  }

  #team(
    name: (typeof repositories)[number],
    template: string,
    environments: readonly string[],
  ): Promise<Team> {
    return Team.create(this.fixture, { name: `${this.name}-${name}`, template, environments });
  }

  async #closeGates(): Promise<void> {
    for (const [name, text] of Object.entries(calendars)) {
      const metadata = { namespace: this.name, name };
      await this.#client.apply(ConfigMap, { metadata, data: { 'calendar.ics': text } }, { fieldManager });
      await this.#apply(Gate, name, { closed: false });
      await this.#apply(GateKeeper, name, {
        gate: name,
        type: 'calendar',
        calendar: { configMapRef: { name } },
      });
    }
  }

  /* A URL of the tenant with a credential of the platform, and a Secret that the tenant cannot read with a host of the tenant. */
  async #lureCredentials(environments: readonly string[]): Promise<void> {
    const { catching } = this.servers;
    const { system } = this.fixture.platform.cluster.namespaces;
    const platform = { namespace: system, name: 'platform-scm' };
    await this.#client.apply(
      Secret,
      { metadata: platform, stringData: { token: canaries.platform } },
      { fieldManager: 'platform' },
    );
    const provider = {
      apiVersion: apiVersionOf(ClusterScmProvider),
      kind: ClusterScmProvider.kind,
      metadata: { name: `${this.name}-platform` },
      spec: { noop: {}, secretRef: platform },
    };
    await this.#client.apply(ClusterScmProvider, provider, { fieldManager: 'platform' });
    await this.#apply(GitRepository, 'lured', {
      scmProviderRef: { kind: ClusterScmProvider.kind, name: provider.metadata.name },
      noop: { url: `${catching.url}/lured.git` },
    });
    await this.#strategy('lured', environments);
    const account = { namespace: this.name, name: 'service-account' };
    /* The controllers of Kubernetes delete the Secret of a service account that does not exist. */
    await this.#client.apply(ServiceAccount, { metadata: account }, { fieldManager });
    await this.#client.apply(
      Secret,
      {
        metadata: { ...account, annotations: { 'kubernetes.io/service-account.name': account.name } },
        type: 'kubernetes.io/service-account-token',
        stringData: { token: canaries.serviceAccount },
      },
      { fieldManager },
    );
    await this.#repository('stolen', catching.url, 'service-account');
    await this.#strategy('stolen', environments);
  }

  async #occupyWorkers(environments: readonly string[]): Promise<void> {
    await this.#client.apply(
      Secret,
      { metadata: { namespace: this.name, name: 'own' }, stringData: { token: 'own' } },
      { fieldManager },
    );
    for (let index = 0; index < silentRepositories; index++) {
      const name = `silent-${index}`;
      await this.#repository(name, this.servers.silent.url, 'own');
      await this.#strategy(name, environments);
    }
  }

  async #repository(name: string, domain: string, secret: string): Promise<void> {
    await this.#apply(ScmProvider, name, { secretRef: { name: secret }, gitea: { domain } });
    await this.#apply(GitRepository, name, {
      scmProviderRef: { kind: ScmProvider.kind, name },
      gitea: { owner: 'hostile', name },
    });
  }

  async #strategy(name: string, environments: readonly string[]): Promise<void> {
    await this.#apply(PromotionStrategy, name, {
      repoRef: { name },
      dryBranch: 'main',
      environments: environments.map((branch) => ({ branch })),
    });
  }

  async #apply(kind: CustomKind, name: string, spec: object): Promise<void> {
    const metadata = { namespace: this.name, name };
    await this.#client.apply(
      kind,
      { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec },
      { fieldManager },
    );
  }
}
