import { afterAll, beforeAll } from '@jest/globals';
import {
  EventResponse,
  GitOpsResponderConfig,
  SecurityEvent,
  type EventResponseStatus,
  type GitOpsResponderConfigStatus,
  type ResponseRoute,
} from '@interlock/api';
import { MovableClock } from '@interlock/base/testing';
import { type AppHandle, createForgeUser, type ForgeUser } from '@interlock/forge';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { defaultResponderName } from '@interlock/responding';
import {
  createForgeAccount,
  ensureNamespace,
  LocalRepository,
  startPlatform,
  type EmbeddedPlatform,
  type ScmName,
} from '@interlock/stack';
import {
  configNamespace,
  startResponder,
  type ResponderProcess,
  type ResponderProcessOptions,
} from './responder-process.js';
import { Target } from './target.js';

type EventSpec = SecurityEvent['spec'];
type ResponseSpec = EventResponse['spec'];

/** A cluster, a forge and a responder, which the tests of a file share; each test has a {@link Target} of its own. */
export class Fixture {
  #targets = 0;
  #responses = 0;
  #routes: ResponseRoute[] = [];

  /* Each is set once the fixture has started. */
  platform!: EmbeddedPlatform;
  clock!: MovableClock;
  #app!: AppHandle;
  #process!: ResponderProcess;
  #options!: ResponderProcessOptions;

  static async start(options: ResponderProcessOptions = {}): Promise<Fixture> {
    const fixture = new Fixture();
    await fixture.begin(options);
    return fixture;
  }

  async begin(options: ResponderProcessOptions = {}): Promise<void> {
    this.clock = new MovableClock();
    this.platform = await startPlatform({ clock: this.clock });
    await ensureNamespace(this.platform.client, configNamespace);
    this.#app = await this.platform.forge.createApp({ owner: 'interlock' });
    this.#options = options;
    this.#process = await startResponder(this.platform, this.clock, options);
  }

  get responder(): ResponderProcess {
    return this.#process;
  }

  /** Creates a repository with files on `main`, an account for the responder, and a user. */
  async target(files: Record<string, string>, scm: ScmName = 'github'): Promise<Target> {
    const { forge, client } = this.platform;
    const number = ++this.#targets;
    const owner = `org-${number}`;
    const name = 'gitops';
    const repository = await forge.createRepository({ owner, name });
    const account = await createForgeAccount(forge, scm, this.#app, { owner, name });
    const login = `ada-${number}`;
    const handle = await forge.createUser({ login });
    await forge.grant({ owner, name, login, role: 'write' });
    const user: ForgeUser = createForgeUser(scm, forge, handle);
    const target = new Target(
      { number, scm, forgeUrl: forge.url, account, repository, user },
      new LocalRepository(repository.path),
      this.clock,
    );
    await target.commit('main', files);
    await user.pulls(repository.fullName);
    const metadata = { name: target.secretName, namespace: configNamespace };
    await client.apply(Secret, { metadata, stringData: target.secret }, { fieldManager: 'team' });
    return target;
  }

  /** Adds routes before the existing ones, and waits until they are in use. */
  async route(...routes: ResponseRoute[]): Promise<void> {
    this.#routes = [...routes, ...this.#routes];
    await this.configure({ routes: this.#routes });
  }

  /** Applies the configuration `default` and, if `isAwaited`, waits until the responder has observed it. */
  async configure(
    spec: GitOpsResponderConfig['spec'],
    isAwaited = true,
  ): Promise<GitOpsResponderConfigStatus> {
    const key = { name: 'default', namespace: configNamespace };
    const applied = await this.platform.client.apply(
      GitOpsResponderConfig,
      { metadata: key, spec },
      { fieldManager: 'team' },
    );
    if (!isAwaited) return {};
    return eventually(async () => {
      const { status } = await this.platform.client.get(GitOpsResponderConfig, key);
      if (status?.observedGeneration !== applied.metadata.generation) throw new Error('it is not seen yet');
      return status ?? {};
    });
  }

  /** Writes an event, as a detector does. */
  event(name: string, spec: Partial<EventSpec> = {}): Promise<SecurityEvent> {
    return this.platform.client.apply(
      SecurityEvent,
      {
        metadata: { name },
        spec: { class: 'Detection', type: 'ClusterAdminGranted', severity: 'high', ...spec },
      },
      { fieldManager: 'detector' },
    );
  }

  /** Writes a response of action GitOpsChange, as a playbook does. Returns its name. */
  async respond(
    actionRef: string,
    parameters: Record<string, string>,
    spec: Partial<ResponseSpec> = {},
  ): Promise<string> {
    const name = `er-${++this.#responses}`;
    const response: ResponseSpec = {
      responder: { kind: 'Deployment', name: this.#options.responderName ?? defaultResponderName },
      action: { type: 'GitOpsChange', actionRef, parameters },
      ...spec,
    };
    await this.platform.client.apply(
      EventResponse,
      { metadata: { name }, spec: response },
      { fieldManager: 'playbook' },
    );
    return name;
  }

  async status(name: string): Promise<EventResponseStatus> {
    return (await this.platform.client.get(EventResponse, { name })).status ?? {};
  }

  /** Waits until the status of a response passes a check. Returns it. */
  statusIs(name: string, check: (status: EventResponseStatus) => void): Promise<EventResponseStatus> {
    return eventually(async () => {
      const status = await this.status(name);
      check(status);
      return status;
    });
  }

  /** Changes the status of a response, as a user. */
  async mark(name: string, status: Partial<EventResponseStatus>): Promise<void> {
    await this.platform.client.patch(
      EventResponse,
      { name },
      { type: 'merge', patch: { status } },
      { subresource: 'status', fieldManager: 'person' },
    );
  }

  /** Advances the clock once the responder is idle: running work would be aborted by its timeout. */
  async later(ms: number): Promise<void> {
    await this.responder.rest();
    this.clock.forward(ms);
  }

  /** Ends the responder and starts another, with only the state of the cluster and the forge. */
  async restart(options: ResponderProcessOptions = this.#options): Promise<void> {
    await this.responder.stop();
    this.#process = await startResponder(this.platform, this.clock, options);
  }

  async close(): Promise<void> {
    await this.responder.stop();
    await this.platform.close();
  }
}

/** Returns a fixture that is started before the tests of the calling file, and closed after them. */
export function useFixture(): Fixture {
  const fixture = new Fixture();
  beforeAll(() => fixture.begin());
  afterAll(() => fixture.close());
  return fixture;
}
