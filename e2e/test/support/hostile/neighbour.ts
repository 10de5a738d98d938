import {
  EventResponse,
  Gate,
  GateOverride,
  SecurityEvent,
  type EventResponse as Response,
  type SecurityEvent as DetectedEvent,
} from '@interlock/api';
import type { RepositoryHandle } from '@interlock/forge';
import { eventually } from '@interlock/kube/testing';
import {
  commitFiles,
  createForgeAccount,
  createResponderAccess,
  initBare,
  providerName,
  responderConfigStatus,
  type ForgeAccount,
} from '@interlock/stack';
import { join } from 'node:path';
import { deliver } from '../deliver.js';
import { HydratedRepository, proposedBranchOf } from '../hydrated-repository.js';
import { Team, webhookSecret } from '../team.js';
import type { Fixture } from '../fixture.js';

/** The environments of both tenants, in order. */
export const environments = ['environments/dev', 'environments/test', 'environments/prod'] as const;
const [dev] = environments;
const rounds = [1, 2] as const;
const fieldManager = 'neighbour';
const gate = 'freeze';
const binding = (name: string): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${name}
`;
const bindingOf = (round: number): string => `too-broad-${round}`;
const pathOf = (round: number): string => `clusters/prod/${bindingOf(round)}.yaml`;

/** Creates a repository whose environments all run the first dry commit. Returns its path. */
export async function settledRepository(path: string): Promise<string> {
  const repository = await HydratedRepository.create(path);
  const first = await repository.commitDry('Open the shop');
  for (const environment of environments) {
    await repository.hydrate(environment, first, `${environment}: tea`);
    await repository.promote(environment);
  }
  return path;
}

/** A tenant with a promotion, a gate and a response in each round. */
export class Neighbour {
  private constructor(
    readonly fixture: Fixture,
    readonly team: Team,
    readonly manifests: RepositoryHandle,
    readonly account: ForgeAccount,
  ) {}

  /** Creates the repositories, the strategy, the gate and the configuration of the responder, and waits until they are in use. */
  static async create(
    fixture: Fixture,
    name: string,
    template: string,
    timeoutMs: number,
  ): Promise<Neighbour> {
    const { forge, client, cluster } = fixture.platform;
    const team = await Team.create(fixture, { name, template, environments });
    const source = await initBare(join(fixture.folder, `${name}-manifests.git`), 'main');
    const files = new Map(rounds.map((round) => [pathOf(round), binding(bindingOf(round))]));
    await commitFiles(source, { branch: 'main', message: 'Bind', files, time: Date.UTC(2026, 0, 1) });
    const at = { owner: `${name}-security`, name: 'manifests' };
    const manifests = await forge.createRepository({ ...at, from: { path: source.path } });
    const account = await createForgeAccount(forge, fixture.scm, fixture.app, at);
    const generation = await createResponderAccess(client, {
      secretName: name,
      namespace: cluster.namespaces.config,
      host: forge.url,
      repository: manifests.fullName,
      baseBranch: 'main',
      access: account.access,
    });
    await team.connect();
    await team.createStrategy();
    const metadata = { namespace: name, name: gate };
    await client.apply(Gate, { metadata, spec: { closed: true } }, { fieldManager });
    const neighbour = new Neighbour(fixture, team, manifests, account);
    const first = await team.local.git(['rev-parse', 'main']);
    await eventually(async () => {
      const missing = await team.missing(first);
      const { inUse } = await responderConfigStatus(client, cluster.namespaces.config);
      const state = await neighbour.gateState();
      if (missing !== undefined || inUse?.generation !== generation || state !== 'Closed')
        throw new Error(`not settled: ${missing}, gate ${state}, configuration ${inUse?.generation}`);
    }, timeoutMs);
    return neighbour;
  }

  /**
   * Promotes a commit through all environments, opens the gate for a minute, and waits for a pull request that responds
   * to an event.
   */
  async round(round: (typeof rounds)[number], timeoutMs: number): Promise<void> {
    const drySHA = await this.#propose(round);
    await this.#open(round);
    await this.#respond(round);
    await eventually(async () => {
      const problems = [
        await this.team.missing(drySHA),
        (await this.gateState()) === 'Open' ? undefined : 'the gate is closed',
        await this.#unanswered(round),
      ].filter((problem) => problem !== undefined);
      if (problems.length > 0) throw new Error(problems.join('; '));
    }, timeoutMs);
    await this.fixture.platform.client.delete(GateOverride, this.#override(round));
    await eventually(async () => {
      if ((await this.gateState()) !== 'Closed') throw new Error('the gate is still open');
    }, timeoutMs);
  }

  async gateState(): Promise<string | undefined> {
    const key = { namespace: this.team.name, name: gate };
    return (await this.fixture.platform.client.get(Gate, key)).status?.state;
  }

  async #propose(round: number): Promise<string> {
    const repository = HydratedRepository.open(this.team.local);
    const drySHA = await repository.commitDry(`Sell cake ${round}`);
    for (const environment of environments)
      await repository.hydrate(environment, drySHA, `${environment}: tea and ${round} cakes`);
    const url = `${this.fixture.fleet.webhookUrls.promoter}/webhooks/${this.team.name}/${providerName}`;
    const push = { kind: 'push', payload: { ref: `refs/heads/${proposedBranchOf(dev)}` } };
    const { status } = await deliver(url, this.team.repository, push, webhookSecret);
    if (status !== 202) throw new Error(`the webhook was answered ${status}`);
    return drySHA;
  }

  #override(round: number) {
    return { namespace: this.team.name, name: `round-${round}` };
  }

  async #open(round: number): Promise<void> {
    const spec = { gateRef: { name: gate }, effect: 'Open' as const, reason: 'release', duration: '10m' };
    const metadata = this.#override(round);
    await this.fixture.platform.client.apply(GateOverride, { metadata, spec }, { fieldManager });
  }

  async #respond(round: number): Promise<void> {
    const { client } = this.fixture.platform;
    const metadata = { name: this.#response(round) };
    const event: DetectedEvent['spec'] = {
      type: 'ClusterAdminGranted',
      subject: { kind: 'ClusterRoleBinding', name: bindingOf(round) },
    };
    await client.apply(SecurityEvent, { metadata, spec: event }, { fieldManager });
    const changes = JSON.stringify([
      { op: 'yaml.deleteDocument', path: pathOf(round), select: { name: bindingOf(round) } },
    ]);
    const response: Response['spec'] = {
      securityEventRef: { name: metadata.name },
      responder: { name: 'ugallu-gitops-responder' },
      action: { type: 'GitOpsChange', actionRef: 'revoke', parameters: { changes } },
    };
    await client.apply(EventResponse, { metadata, spec: response }, { fieldManager });
  }

  #response(round: number): string {
    return `${this.team.name}-${round}`;
  }

  async #unanswered(round: number): Promise<string | undefined> {
    const { status } = await this.fixture.platform.client.get(EventResponse, { name: this.#response(round) });
    return status?.changeRequest === undefined ? `the response is ${status?.phase ?? 'new'}` : undefined;
  }
}
