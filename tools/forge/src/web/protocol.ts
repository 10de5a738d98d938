import type { Domain } from '../domain/domain.js';
import type { Reply, Request } from '../http/message.js';
import type { Protocol, Operation } from '../http/operation.js';
import { Router } from '../http/router.js';
import { page } from './layout.js';
import { html } from './html.js';
import { Pages } from './pages.js';

type View = 'index' | 'repository' | 'branch' | 'commit' | 'pull';

/** Web pages without a login, because the forge is reachable only from this machine. */
export class WebProtocol implements Protocol {
  readonly #pages: Pages;
  readonly #router = new Router<View>([
    { method: 'GET', template: '/', value: 'index' },
    { method: 'GET', template: '/{owner}/{repo}', value: 'repository' },
    { method: 'GET', template: '/{owner}/{repo}/tree/{branch+}', value: 'branch' },
    { method: 'GET', template: '/{owner}/{repo}/commit/{sha}', value: 'commit' },
    { method: 'GET', template: '/{owner}/{repo}/pull/{number}', value: 'pull' },
    { method: 'GET', template: '/{owner}/{repo}/pulls/{number}', value: 'pull' },
    { method: 'GET', template: '/{owner}/{repo}/src/branch/{branch+}', value: 'branch' },
    { method: 'GET', template: '/{path+}', value: 'repository' },
    { method: 'GET', template: '/{path+}/-/tree/{branch+}', value: 'branch' },
    { method: 'GET', template: '/{path+}/-/commit/{sha}', value: 'commit' },
    { method: 'GET', template: '/{path+}/-/merge_requests/{number}', value: 'pull' },
  ]);

  constructor(readonly domain: Domain) {
    this.#pages = new Pages(domain);
  }

  operation(request: Request): Promise<Operation | undefined> {
    const found = this.#router.find(request.method, request.path);
    return Promise.resolve({
      api: 'web',
      kind: 'read',
      route: found?.route.template.replaceAll('+}', '}') ?? request.path,
      actor: 'anonymous',
      run: async () => reply(found && (await this.#view(found.route.value, found.parameters))),
    });
  }

  async #view(view: View, parameters: Record<string, string>): Promise<string | undefined> {
    if (view === 'index') return this.#pages.index();
    const { owner = '', repo = '', branch = '', sha = '', number = '' } = parameters;
    const { path = `${owner}/${repo}` } = parameters;
    const { core, repositories, references } = this.domain;
    const repository = repositories.findByPath(path.replace(/\.git$/, ''));
    if (repository === undefined) return undefined;
    await core.exclusive(repository, () => references.sync(repository));
    switch (view) {
      case 'repository':
        return this.#pages.repository(repository);
      case 'branch':
        return this.#pages.branch(repository, branch);
      case 'commit':
        return this.#pages.commit(repository, sha);
      case 'pull':
        return this.#pages.pull(repository, Number(number));
    }
  }
}

function reply(text: string | undefined): Reply {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  if (text !== undefined) return { status: 200, headers, body: text };
  return { status: 404, headers, body: page('Not found', [], html`<h1>Not found</h1>`) };
}
