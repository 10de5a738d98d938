import { EventResponse, SecurityEvent, type EventResponseStatus } from '@interlock/api';
import {
  type RepositoryHandle,
  createForgeUser,
  type ForgeUser,
  type ShownPullRequest,
} from '@interlock/forge';
import { Secret } from '@interlock/kube';
import {
  commitFiles,
  createForgeAccount,
  createResponderAccess,
  initBare,
  LocalRepository,
  responderConfigStatus,
  type ForgeAccount,
} from '@interlock/stack';
import type { ForgeTenant } from './crash-points.js';
import type { Scenario, Step } from './crash-run.js';
import { webhookSecret } from './team.js';
import type { Fixture } from './fixture.js';

const folder = 'clusters/prod';
const binding = (name: string): string => `# Ask security before you change it.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${name} # as agreed
`;
const list = (...lines: string[]): string => `resources:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
const kept = { 'readers.yaml': binding('readers') };
const before = {
  ...kept,
  'kustomization.yaml': list('too-broad.yaml # for a week', 'readers.yaml'),
  'too-broad.yaml': binding('too-broad'),
};
const after = { ...kept, 'kustomization.yaml': list('readers.yaml') };
const changes = JSON.stringify([
  { op: 'yaml.deleteDocument', path: `${folder}/too-broad.yaml`, select: { name: 'too-broad' } },
]);

/** Creates the initial repository of every tenant. @returns its path */
export async function rbacRepository(path: string): Promise<string> {
  const repository = await initBare(path, 'main');
  const files = Object.entries(before).map(([name, text]): [string, string] => [`${folder}/${name}`, text]);
  await commitFiles(repository, {
    branch: 'main',
    message: 'Say who may do what',
    files: new Map(files),
    time: Date.parse('2026-01-01T00:00:00Z'),
  });
  return repository.path;
}

/** A repository, an event, and a response that removes a binding. */
export class ResponseTenant implements ForgeTenant {
  #generation: number | undefined;

  readonly #fixture: Fixture;
  readonly #account: ForgeAccount;
  readonly #user: ForgeUser;

  private constructor(
    fixture: Fixture,
    readonly name: string,
    readonly repository: RepositoryHandle,
    account: ForgeAccount,
    user: ForgeUser,
  ) {
    this.#fixture = fixture;
    this.#account = account;
    this.#user = user;
  }

  static async create(fixture: Fixture, name: string, template: string): Promise<ResponseTenant> {
    const { scm, user } = fixture;
    const { forge } = fixture.platform;
    /* GitLab has groups in groups. */
    const at = { owner: scm === 'gitlab' ? `${name}/group` : name, name: 'gitops' };
    const repository = await forge.createRepository({ ...at, from: { path: template } });
    const account = await createForgeAccount(forge, scm, fixture.app, at);
    await forge.grant({ ...at, login: user.login, role: 'write' });
    return new ResponseTenant(fixture, name, repository, account, createForgeUser(scm, forge, user));
  }

  get installationId(): number | undefined {
    return this.#account.installationId;
  }

  get login(): string {
    return this.#account.login;
  }

  get #configNamespace(): string {
    return this.#fixture.platform.cluster.namespaces.config;
  }

  get #client() {
    return this.#fixture.platform.client;
  }

  /** Routes all responses to the repository. */
  async configure(): Promise<void> {
    this.#generation = await createResponderAccess(this.#client, {
      secretName: this.name,
      namespace: this.#configNamespace,
      host: this.#fixture.platform.forge.url,
      repository: this.repository.fullName,
      baseBranch: 'main',
      access: this.#account.access,
      webhookSecret,
      route: { labels: ['security'] },
    });
  }

  async isConfigured(): Promise<boolean> {
    const { inUse, providers = [] } = await responderConfigStatus(this.#client, this.#configNamespace);
    return inUse?.generation === this.#generation && providers.every(({ reachable }) => reachable);
  }

  async respond(): Promise<void> {
    const metadata = { name: this.name };
    const event: SecurityEvent['spec'] = {
      type: 'ClusterAdminGranted',
      subject: { kind: 'ClusterRoleBinding', name: 'too-broad' },
    };
    await this.#client.apply(SecurityEvent, { metadata, spec: event }, { fieldManager: 'detector' });
    const response: EventResponse['spec'] = {
      securityEventRef: { name: this.name },
      responder: { name: 'ugallu-gitops-responder' },
      action: { type: 'GitOpsChange', actionRef: 'revoke', parameters: { changes } },
      retryPolicy: { maxAttempts: 10, backoffStrategy: 'None' },
    };
    await this.#client.apply(EventResponse, { metadata, spec: response }, { fieldManager: 'playbook' });
  }

  async status(): Promise<EventResponseStatus> {
    return (await this.#client.get(EventResponse, { name: this.name })).status ?? {};
  }

  pulls(): Promise<ShownPullRequest[]> {
    return this.#user.pulls(this.repository.fullName);
  }

  async merge(): Promise<void> {
    for (const { number } of await this.pulls()) await this.#user.merge(this.repository.fullName, number);
  }

  async problems(): Promise<string[]> {
    const pulls = await this.pulls();
    const [pull] = pulls;
    if (pull === undefined || pulls.length > 1) return [`there are ${pulls.length} pull requests`];
    const local = new LocalRepository(this.repository.path);
    const branches = [...(await local.refs('refs/heads/')).keys()].filter((ref) => ref !== 'refs/heads/main');
    const commits = await local.git(['rev-list', '--count', '--first-parent', `main~1..${pull.headSHA}`]);
    const { phase, stage, attempts = 0, providerRef = '', changeRequest } = await this.status();
    const isRef =
      providerRef.includes(`/${this.repository.fullName}/`) && providerRef.endsWith(`/${pull.number}`);
    return [
      ...(branches.join() === `refs/heads/${pull.head}` ? [] : [`there are the branches ${branches.join()}`]),
      ...(commits === '1' ? [] : [`the branch has ${commits} commits`]),
      ...(phase === 'Succeeded' && stage === 'Merged' ? [] : [`the phase is ${phase}, the stage ${stage}`]),
      ...(isRef ? [] : [`providerRef is ${providerRef}`]),
      ...(changeRequest?.headSHA === pull.headSHA && changeRequest.state === 'merged'
        ? []
        : [`the status shows ${JSON.stringify(changeRequest)}`]),
      ...(attempts >= 1 && attempts <= 2 ? [] : [`there were ${attempts} attempts`]),
      ...(await this.#fileProblems(local)),
    ];
  }

  async leave(): Promise<void> {
    await this.#client.delete(EventResponse, { name: this.name });
    await this.#client.delete(SecurityEvent, { name: this.name });
    await this.#client.delete(Secret, { namespace: this.#configNamespace, name: this.name });
  }

  async #fileProblems(local: LocalRepository): Promise<string[]> {
    const found: string[] = [];
    for (const path of await local.lines(['ls-tree', '-r', '--name-only', 'main'])) {
      found.push(`${path}\n${await local.git(['show', `main:${path}`])}\n`);
    }
    const wanted = Object.entries(after).map(([name, text]) => `${folder}/${name}\n${text}`);
    return found.sort().join('') === wanted.sort().join('') ? [] : [`main has ${found.join('')}`];
  }
}

function step(
  act: (tenant: ResponseTenant) => Promise<void>,
  missing: (tenant: ResponseTenant) => Promise<string | undefined>,
): Step<ResponseTenant> {
  return { act: (_fixture, tenant) => act(tenant), missing: (_fixture, tenant) => missing(tenant) };
}

function stageIs(
  wanted: EventResponseStatus['stage'],
): (tenant: ResponseTenant) => Promise<string | undefined> {
  return async (tenant) => {
    const status = await tenant.status();
    const isSo = status.phase === 'Succeeded' && status.stage === wanted;
    return isSo ? undefined : `the response is not ${wanted}: ${JSON.stringify(status)}`;
  };
}

/**
 * Returns a scenario in which a pull request responds to an event, and a user merges it.
 *
 * @param template a repository of {@link rbacRepository}
 */
export function responseScenario(template: string): Scenario<ResponseTenant> {
  return {
    app: 'gitops-responder',
    createTeam: (fixture, name) => ResponseTenant.create(fixture, name, template),
    steps: [
      step(
        (tenant) => tenant.configure(),
        async (tenant) => ((await tenant.isConfigured()) ? undefined : 'the configuration is not in use'),
      ),
      step((tenant) => tenant.respond(), stageIs('Submitted')),
      step((tenant) => tenant.merge(), stageIs('Merged')),
    ],
    check: (_fixture, tenant) => tenant.problems(),
  };
}
