import { createForgeUser, type ForgeUser, type ShownPullRequest } from '@interlock/forge';
import { EventResponse, SecurityEvent, type EventResponseStatus } from '@interlock/api';
import { kubeconfigFlags } from '../cluster/cluster.js';
import { bundleOf } from '../paths.js';
import type { Stack } from '../stack.js';
import type { Print } from './narrator.js';
import { quoteProgram } from './quote-program.js';
import { ResponseWatch } from './response-watch.js';

const ours = 'ugallu-gitops-responder';

/** Returns a user with permission to merge. */
export async function createReviewer({ forge, repository: { owner, name } }: Stack): Promise<ForgeUser> {
  const user = await forge.createUser({ login: 'bob' });
  await forge.grant({ owner, name, login: user.login, role: 'write' });
  return createForgeUser('github', forge, user);
}

/** The participants of a scenario about responses: the detector, the playbook, the forge and the reviewer. */
export class Stage {
  readonly #watch: ResponseWatch;

  constructor(
    readonly stack: Stack,
    readonly print: Print,
    readonly signal: AbortSignal,
    readonly reviewer: ForgeUser,
  ) {
    this.#watch = new ResponseWatch(stack.client, print);
  }

  /** Waits until the watch observes all further changes. */
  ready(): Promise<void> {
    return this.#watch.ready(this.signal);
  }

  close(): Promise<void> {
    return this.#watch.stop();
  }

  /** Returns the stages of a response, in order. */
  stages(name: string): readonly string[] {
    return this.#watch.stages(name);
  }

  /** Creates an event, as a detector does. */
  async detect(name: string, type: string, subject: SecurityEvent['spec']['subject']): Promise<void> {
    const spec = { class: 'Detection', type, severity: 'high' as const, subject };
    this.print(`  event ${name}: ${type} on ${subject?.kind ?? ''} ${JSON.stringify(subject?.name)}`);
    await this.stack.client.apply(SecurityEvent, { metadata: { name }, spec }, { fieldManager: 'detector' });
  }

  /** Creates the response to an event, as a playbook does. @returns the response. */
  async respond(
    name: string,
    event: string,
    parameters: Record<string, string>,
    responder = ours,
  ): Promise<EventResponse> {
    const whose = responder === ours ? '' : ` of ${responder}`;
    this.print(`  response ${name}${whose} to ${event}: ${JSON.stringify(parameters)}`);
    const spec: EventResponse['spec'] = {
      securityEventRef: { name: event },
      responder: { kind: 'Deployment', name: responder },
      action: { type: 'GitOpsChange', actionRef: 'revoke-clusterrolebinding', parameters },
    };
    const { client } = this.stack;
    return client.apply(EventResponse, { metadata: { name }, spec }, { fieldManager: 'playbook' });
  }

  /** Waits until a response has succeeded or failed. @returns its status. */
  ended(name: string): Promise<EventResponseStatus> {
    const isEnd = ({ phase }: EventResponseStatus) => phase === 'Succeeded' || phase === 'Failed';
    return this.#watch.until(name, 'answered', isEnd, this.signal);
  }

  /** Waits until the response reports that its pull request is merged. */
  async merged(name: string): Promise<void> {
    await this.#watch.until(name, 'Merged', ({ stage }) => stage === 'Merged', this.signal);
  }

  /**
   * Runs `interlock respond explain` for a response. @returns the exit code: 0 if the response has a route, 3 if the
   * response is for another responder.
   */
  async explain(name: string): Promise<number> {
    const { config } = this.stack.cluster.namespaces;
    const where = config === 'ugallu-system' ? [] : ['--config-namespace', config];
    const args = ['respond', 'explain', name, ...where];
    return quoteProgram(
      this.print,
      'interlock',
      bundleOf('cli'),
      args,
      kubeconfigFlags(this.stack.kubeconfig),
    );
  }

  /** Returns the pull requests of the responder, newest first. */
  async pulls(): Promise<ShownPullRequest[]> {
    const all = await this.reviewer.pulls(this.stack.repository.fullName);
    return all.filter(({ head }) => head.startsWith('ugallu/'));
  }

  /** Returns the pull request of a response. @throws Error if there is not exactly one */
  async pullOf({ changeRequest }: EventResponseStatus): Promise<ShownPullRequest> {
    const found = (await this.pulls()).filter(({ head }) => head === changeRequest?.branch);
    const [pull] = found;
    if (pull !== undefined && found.length === 1) return pull;
    throw new Error(`there are ${found.length} pull requests from the branch ${changeRequest?.branch ?? ''}`);
  }

  /** Prints a pull request as a reviewer sees it. */
  async show({ number, title, body, base, headSHA }: ShownPullRequest): Promise<void> {
    this.print(`  pull request ${number}: ${title}`);
    this.#quote(body);
    this.#quote(await this.#git('diff', '--no-color', `${base}...${headSHA}`));
  }

  /** Returns the number of commits of a pull request. */
  async commitsOf({ base, headSHA }: ShownPullRequest): Promise<number> {
    return Number(await this.#git('rev-list', '--count', `${base}..${headSHA}`));
  }

  #git(...args: string[]): Promise<string> {
    return this.stack.repository.local.git(args);
  }

  #quote(text: string): void {
    for (const line of text.trim().split('\n')) this.print(`    | ${line}`.trimEnd());
  }
}
