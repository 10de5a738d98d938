import { accessOf } from '../domain/access.js';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { Repository } from '../domain/model.js';
import { httpBackend, type BackendAnswer } from '../git/http-backend.js';
import { tokenOf } from '../rest/credentials.js';
import { BodyTooLarge, readBody, type Reply, type Request } from '../http/message.js';
import type { Face, Operation } from '../http/operation.js';
import type { JournalEntry } from '../journal.js';
import { spooled } from './spool.js';

const pattern = /^\/(.+)\/([^/]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack)$/;
const maxPushBytes = 2 * 1024 * 1024 * 1024;
const maxReportBytes = 16 * 1024 * 1024;

/** Git's smart HTTP protocol for fetches and pushes, under `/<owner>/<name>.git`. */
export class SmartHttpFace implements Face {
  constructor(
    readonly domain: Domain,
    /** For the bodies of pushes. */
    readonly temporary: string,
  ) {}

  operation(request: Request): Promise<Operation | undefined> {
    const [, owner = '', name = '', service = ''] = pattern.exec(request.path) ?? [];
    if (service === '') return Promise.resolve(undefined);
    const token = tokenOf(request.headers);
    const actor = token === undefined ? undefined : this.domain.accounts.authenticate(token);
    const pushes = service === '/git-receive-pack' || request.query.get('service') === 'git-receive-pack';
    return Promise.resolve({
      api: 'git',
      kind: service === '/git-receive-pack' ? 'write' : 'read',
      route: `/{owner}/{repo}.git${service}`,
      actor: actor?.account.login ?? 'anonymous',
      run: async (entry) => {
        if (actor === undefined) return unauthorized(token !== undefined);
        const repository = this.domain.repositories.find(owner, name);
        const access = repository === undefined ? undefined : accessOf(actor, repository, 'contents');
        if (repository === undefined || access === undefined) return text(404, 'Repository not found.');
        if (pushes && access !== 'write') return text(403, 'Write access to repository not granted.');
        if (pushes && repository.archived)
          return text(403, 'This repository was archived so it is read-only.');
        if (service !== '/git-receive-pack')
          return replyOf(await this.#ask(request, repository, actor, service));
        return this.#receive(request, repository, actor, entry);
      },
    });
  }

  /** One push at a time; when it is over, whatever it moved is known to the pull requests and the hooks. */
  async #receive(
    request: Request,
    repository: Repository,
    actor: Actor,
    entry: JournalEntry,
  ): Promise<Reply> {
    const { core, references } = this.domain;
    const limits = { directory: this.temporary, maxBytes: maxPushBytes };
    try {
      return await spooled(request.stream, limits, (body) =>
        core.exclusive(repository, async () => {
          await references.sync(repository);
          const answer = await this.#ask(request, repository, actor, '/git-receive-pack', body);
          const report = await readBody(answer.body, maxReportBytes);
          const moves = await references.sync(repository, actor.account);
          entry.summary = moves.map(({ ref, before, after }) => `${before}..${after} ${ref}`).join('\n');
          return { ...replyOf(answer), body: report };
        }),
      );
    } catch (error) {
      if (error instanceof BodyTooLarge) return text(413, error.message);
      throw error;
    }
  }

  #ask(
    request: Request,
    repository: Repository,
    actor: Actor,
    service: string,
    body = request.stream as BackendBody,
  ): Promise<BackendAnswer> {
    const { method, query, headers, signal } = request;
    return httpBackend({
      repositoryPath: this.domain.core.pathOf(repository),
      service,
      method,
      query: query.toString(),
      headers,
      body,
      user: actor.account.login,
      env: { FORGE_PROTECTED_REFS: protectedRefs(repository) },
      signal,
    });
  }
}

type BackendBody = Parameters<typeof httpBackend>[0]['body'];

function protectedRefs({ protections }: Repository): string {
  return Object.entries(protections)
    .filter(([, { blockPushes }]) => blockPushes)
    .map(([branch]) => `refs/heads/${branch}`)
    .join('\n');
}

function replyOf({ status, headers, body }: BackendAnswer): Reply {
  return { status, headers, body };
}

function text(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: `${message}\n`,
  };
}

/** git asks for credentials when it has sent none, and gives up when they are refused. */
function unauthorized(refused: boolean): Reply {
  const message = refused ? 'Invalid username or token.' : 'No anonymous access.';
  return text(401, message, { 'www-authenticate': 'Basic realm="GitHub"' });
}
