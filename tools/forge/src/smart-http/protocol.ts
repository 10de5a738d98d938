import { Readable } from 'node:stream';
import { accessOf } from '../domain/access.js';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { Repository } from '../domain/model.js';
import { lsRefs } from '../git/ls-refs.js';
import { advertisement, answer, isVersion2, type Service, type ServiceRequest } from '../git/service.js';
import { tokenOf } from '../rest/credentials.js';
import { BodyTooLarge, readBody, type Reply, type Request } from '../http/message.js';
import type { Protocol, Operation } from '../http/operation.js';
import type { JournalEntry } from '../journal.js';
import { spooled } from './spool.js';

const pattern = /^\/(.+)\/([^/]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack)$/;
const maxQuestionBytes = 64 * 1024;
const maxPushBytes = 2 * 1024 * 1024 * 1024;
const maxReportBytes = 16 * 1024 * 1024;

/** Git's smart HTTP protocol for fetches and pushes, under `/<owner>/<name>.git`. */
export class SmartHttpProtocol implements Protocol {
  constructor(
    readonly domain: Domain,
    /** Folder for the bodies of pushes. */
    readonly temporary: string,
  ) {}

  operation(request: Request): Promise<Operation | undefined> {
    const [, owner = '', name = '', path = ''] = pattern.exec(request.path) ?? [];
    if (path === '') return Promise.resolve(undefined);
    const service = serviceOf(path === '/info/refs' ? request.query.get('service') : path.slice(1));
    const token = tokenOf(request.headers);
    const actor = token === undefined ? undefined : this.domain.accounts.authenticate(token);
    return Promise.resolve({
      api: 'git',
      kind: path === '/git-receive-pack' ? 'write' : 'read',
      route: `/{owner}/{repo}.git${path}`,
      actor: actor?.account.login ?? 'anonymous',
      run: async (entry) => {
        if (actor === undefined) return unauthorized(token !== undefined);
        const repository = this.domain.repositories.find(owner, name);
        const access = repository === undefined ? undefined : accessOf(actor, repository, 'contents');
        if (repository === undefined || access === undefined) return text(404, 'Repository not found.');
        if (service === undefined) return text(403, 'Please upgrade your git client.');
        const pushes = service === 'git-receive-pack';
        if (pushes && access !== 'write') return text(403, 'Write access to repository not granted.');
        if (pushes && repository.archived)
          return text(403, 'This repository was archived so it is read-only.');
        const asked = this.#request(request, repository, actor, service);
        if (path === '/info/refs')
          return reply(`application/x-${service}-advertisement`, await advertisement(asked));
        if (request.method !== 'POST') return text(405, 'Method not allowed.', { allow: 'POST' });
        if (request.headers['content-type'] !== `application/x-${service}-request`)
          return text(415, 'Unsupported media type.');
        const ask = (body: Readable): Readable => answer(asked, body, isCompressed(request));
        if (!pushes) return reply(`application/x-${service}-result`, await this.#answer(request, asked, ask));
        return this.#receive(request, repository, actor, entry, ask);
      },
    });
  }

  /** Returns the answer to a request. Most requests are for references, and do not need a git process. */
  async #answer(
    { stream, headers }: Request,
    { repositoryPath, protocol }: ServiceRequest,
    ask: (body: Readable) => Readable,
  ): Promise<Buffer | Readable> {
    const isSmall = Number(headers['content-length']) <= maxQuestionBytes;
    if (!isSmall || headers['content-encoding'] !== undefined || !isVersion2(protocol)) return ask(stream);
    const question = await readBody(stream, maxQuestionBytes);
    return (await lsRefs(repositoryPath, question)) ?? ask(Readable.from([question]));
  }

  /** Handles one push at a time. Afterwards, the pull requests and hooks reflect its changes. */
  async #receive(
    request: Request,
    repository: Repository,
    actor: Actor,
    entry: JournalEntry,
    ask: (body: Readable) => Readable,
  ): Promise<Reply> {
    const { core, references } = this.domain;
    const limits = { directory: this.temporary, maxBytes: maxPushBytes };
    try {
      return await spooled(request.stream, limits, (body) =>
        core.exclusive(repository, async () => {
          await references.sync(repository);
          const report = await readBody(ask(body), maxReportBytes);
          const moves = await references.sync(repository, actor.account);
          entry.summary = moves.map(({ ref, before, after }) => `${before}..${after} ${ref}`).join('\n');
          return reply('application/x-git-receive-pack-result', report);
        }),
      );
    } catch (error) {
      if (error instanceof BodyTooLarge) return text(413, error.message);
      throw error;
    }
  }

  #request(
    { headers, signal }: Request,
    repository: Repository,
    actor: Actor,
    service: Service,
  ): ServiceRequest {
    return {
      repositoryPath: this.domain.core.pathOf(repository),
      service,
      protocol: String(headers['git-protocol'] ?? ''),
      user: actor.account.login,
      env: { FORGE_PROTECTED_REFS: protectedRefs(repository) },
      signal,
    };
  }
}

function serviceOf(name: string | null): Service | undefined {
  return name === 'git-upload-pack' || name === 'git-receive-pack' ? name : undefined;
}

function isCompressed({ headers }: Request): boolean {
  return /^(x-)?gzip$/.test(headers['content-encoding'] ?? '');
}

function protectedRefs({ protections }: Repository): string {
  return Object.entries(protections)
    .filter(([, { blockPushes }]) => blockPushes)
    .map(([branch]) => `refs/heads/${branch}`)
    .join('\n');
}

function reply(type: string, body: Buffer | Readable): Reply {
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' }, body };
}

function text(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: `${message}\n`,
  };
}

/**
 * Returns the answer to a request without valid credentials. git prompts for credentials if it has sent none, and
 * fails if they are refused.
 */
function unauthorized(refused: boolean): Reply {
  const message = refused ? 'Invalid username or token.' : 'No anonymous access.';
  return text(401, message, { 'www-authenticate': 'Basic realm="GitHub"' });
}
