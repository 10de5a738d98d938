import type { Domain } from '../domain/domain.js';
import type { PullRequest, Repository } from '../domain/model.js';
import { startOf } from '../domain/range.js';
import { html, type Html } from './html.js';
import { page, state, table } from './layout.js';
import { checkTable, commitTable, fileTable } from './parts.js';

const maxRows = 100;
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The web pages of a repository. Each is undefined if there is nothing to show. */
export class Pages {
  constructor(readonly domain: Domain) {}

  index(): string {
    const { core } = this.domain;
    const rows = core.state.repositories.map((repository) => {
      const open = repository.pulls.filter((pull) => pull.state === 'open').length;
      return html`<tr>
        <td><a href="${this.#home(repository)}">${this.#name(repository)}</a></td>
        <td>${open}</td>
        <td>${repository.pushedAt}</td>
      </tr>`;
    });
    return page(
      'forge',
      [],
      html`<h1>Repositories</h1>
        ${table(['repository', 'open pull requests', 'last push'], rows)}`,
    );
  }

  repository(repository: Repository): string {
    const home = this.#home(repository);
    const pulls = [...repository.pulls].reverse().slice(0, maxRows);
    const branches = Object.entries(repository.refs).filter(([ref]) => ref.startsWith('refs/heads/'));
    const body = html`<h1>${this.#name(repository)}</h1>
      <p class="muted">${repository.description}</p>
      <pre>git clone ${home}.git</pre>
      <h2>Pull requests</h2>
      ${table(
        ['number', 'state', 'title', 'branches', 'updated'],
        pulls.map((pull) => this.#pullRow(home, pull)),
      )}
      <h2>Branches</h2>
      ${table(
        ['branch', 'commit'],
        branches.slice(0, maxRows).map(([ref, sha]) => this.#branchRow(home, ref, sha)),
      )}`;
    return page(this.#name(repository), [], body);
  }

  async branch(repository: Repository, name: string): Promise<string | undefined> {
    const sha = repository.refs[`refs/heads/${name}`];
    if (sha === undefined) return undefined;
    const commits = await this.domain.core.git(repository).log(['-n', '50', sha]);
    const body = html`<h1>${name}</h1>
      <p>at <code>${sha}</code></p>
      <h2>Checks</h2>
      ${checkTable(repository, sha)}
      <h2>Commits</h2>
      ${commitTable(this.#home(repository), commits)}`;
    return page(`${name} · ${this.#name(repository)}`, this.#crumbs(repository), body);
  }

  async commit(repository: Repository, sha: string): Promise<string | undefined> {
    const git = this.domain.core.git(repository);
    if (!/^[0-9a-f]{7,40}$/.test(sha)) return undefined;
    const full = await git.resolve(sha);
    if (full === undefined) return undefined;
    const commit = await git.commit(full);
    const files = await git.changes(commit.parents[0] ?? emptyTree, full);
    const body = html`<h1>${commit.message.split('\n', 1)[0]}</h1>
      <p><code>${full}</code> by ${commit.author.name}, ${commit.author.date}</p>
      <pre>${commit.message}</pre>
      <h2>Checks</h2>
      ${checkTable(repository, full)}
      <h2>Files</h2>
      ${fileTable(files)}`;
    return page(`${full.slice(0, 10)} · ${this.#name(repository)}`, this.#crumbs(repository), body);
  }

  async pull(repository: Repository, number: number): Promise<string | undefined> {
    const pull = repository.pulls.find((candidate) => candidate.number === number);
    if (pull === undefined) return undefined;
    const { core } = this.domain;
    const git = core.git(repository);
    const home = this.#home(repository);
    const from = await startOf(core, repository, pull);
    const commits = await git.log(['--reverse', '-n', '250', `${from}..${pull.head.sha}`]);
    const files = await git.changes(from, pull.head.sha);
    const body = html`<h1>${pull.title} <span class="muted">#${number}</span></h1>
      <p>
        ${state(stateOf(pull))} ${core.account(pull.authorId).login} wants
        <a href="${home}/tree/${pull.head.ref}"><code>${pull.head.ref}</code></a> in
        <a href="${home}/tree/${pull.base.ref}"><code>${pull.base.ref}</code></a>
        ${this.#outcome(home, pull)}
      </p>
      ${pull.labels.length === 0 ? undefined : html`<p>Labels: ${pull.labels.join(', ')}</p>`}
      <pre>${pull.body ?? ''}</pre>
      <h2>Checks</h2>
      ${checkTable(repository, pull.head.sha)}
      <h2>Commits</h2>
      ${commitTable(home, commits)}
      <h2>Files</h2>
      ${fileTable(files)} ${this.#comments(repository, pull)}`;
    return page(`${pull.title} · #${number} · ${this.#name(repository)}`, this.#crumbs(repository), body);
  }

  #outcome(home: string, { merge, closedById, state: word }: PullRequest): Html | undefined {
    const { core } = this.domain;
    if (merge !== undefined) {
      const commit = html`<a href="${home}/commit/${merge.sha}"><code>${merge.sha.slice(0, 10)}</code></a>`;
      return html`, merged as ${commit} by ${core.account(merge.byId).login}, ${merge.at}`;
    }
    if (word === 'open' || closedById === undefined) return undefined;
    return html`, closed by ${core.account(closedById).login}`;
  }

  #comments(repository: Repository, pull: PullRequest): Html | undefined {
    const comments = repository.comments.filter(({ issueNumber }) => issueNumber === pull.number);
    if (comments.length === 0) return undefined;
    const shown = comments.map(
      ({ authorId, body, createdAt }) =>
        html`<p>${this.domain.core.account(authorId).login}, ${createdAt}</p>
          <pre>${body}</pre>`,
    );
    return html`<h2>Comments</h2>
      ${shown}`;
  }

  #pullRow(home: string, pull: PullRequest): Html {
    return html`<tr>
      <td><a href="${home}/pull/${pull.number}">#${pull.number}</a></td>
      <td>${state(stateOf(pull))}</td>
      <td>${pull.title}</td>
      <td><code>${pull.head.ref}</code> → <code>${pull.base.ref}</code></td>
      <td>${pull.updatedAt}</td>
    </tr>`;
  }

  #branchRow(home: string, ref: string, sha: string): Html {
    const name = ref.slice('refs/heads/'.length);
    return html`<tr>
      <td><a href="${home}/tree/${name}">${name}</a></td>
      <td>
        <a href="${home}/commit/${sha}"><code>${sha.slice(0, 10)}</code></a>
      </td>
    </tr>`;
  }

  #name(repository: Repository): string {
    return `${this.domain.core.owner(repository).login}/${repository.name}`;
  }

  #home(repository: Repository): string {
    return `/${this.#name(repository)}`;
  }

  #crumbs(repository: Repository) {
    return [{ text: this.#name(repository), href: this.#home(repository) }];
  }
}

function stateOf({ merge, draft, state: word }: PullRequest): string {
  if (merge !== undefined) return 'merged';
  return draft && word === 'open' ? 'draft' : word;
}
