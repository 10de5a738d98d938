import { CommitStatus, labels, type Condition, type Kind, type KubeObject } from '@interlock/api';
import type { RepositoryHandle } from '@interlock/forge';
import type { Client } from '@interlock/kube';
import { commitFiles, repositoryName, type LocalRepository } from '@interlock/stack';
import { eventually } from '@interlock/kube/testing';
import { request } from 'undici';
import type { Fixture } from './fixture.js';

/** A check run as the forge shows it. */
interface ShownCheckRun {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  details_url: string | null;
  output: { title: string | null; summary: string | null };
}

export interface TeamParts {
  fixture: Fixture;
  namespace: string;
  repository: RepositoryHandle;
  local: LocalRepository;
  /** The installation of the GitHub App. */
  installationId: number | undefined;
}

/** A namespace with a repository, and the reporters of its commits. */
export class Team {
  #commits = 0;

  constructor(protected readonly parts: TeamParts) {}

  get namespace(): string {
    return this.parts.namespace;
  }

  get repository(): RepositoryHandle {
    return this.parts.repository;
  }

  get installationId(): number | undefined {
    return this.parts.installationId;
  }

  protected get client(): Client {
    return this.parts.fixture.client;
  }

  /** Returns a new commit of the repository; the nth commit of every team has the same SHA. */
  commit(): Promise<string> {
    const text = `commit ${++this.#commits}`;
    return commitFiles(this.parts.local, {
      branch: 'dev',
      message: text,
      files: new Map([['manifest.yaml', text]]),
      time: Date.UTC(2026, 0, this.#commits),
    });
  }

  /** Applies an object of the team's namespace. */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    { labels: ofObject, ...fields }: { labels?: Record<string, string>; [field: string]: unknown },
  ): Promise<T> {
    return this.client.apply(
      kind,
      { metadata: { name, namespace: this.namespace, ...(ofObject && { labels: ofObject }) }, ...fields },
      { fieldManager: 'team' },
    );
  }

  /** Reports on a commit; omitted fields keep their last value. */
  report(spec: Partial<CommitStatus['spec']> & { sha: string }, name = 'health'): Promise<CommitStatus> {
    return this.client.apply(
      CommitStatus,
      {
        metadata: { name, namespace: this.namespace, labels: { [labels.commitStatusKey]: 'health' } },
        spec: { repoRef: { name: repositoryName }, name, phase: 'success', ...spec },
      },
      { fieldManager: 'reporter' },
    );
  }

  get(name = 'health'): Promise<CommitStatus> {
    return this.client.get(CommitStatus, { namespace: this.namespace, name });
  }

  /** Waits until the current CommitStatus was reconciled. Returns it and its condition `Ready`. */
  async settled(name = 'health'): Promise<{ object: CommitStatus; ready: Condition }> {
    return eventually(async () => {
      const object = await this.get(name);
      const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready === undefined || ready.observedGeneration !== object.metadata.generation) {
        throw new Error(`${name} has not been dealt with`);
      }
      return { object, ready };
    });
  }

  /** Waits until a CommitStatus is synced. */
  async synced(name = 'health'): Promise<CommitStatus> {
    return eventually(async () => {
      const { object, ready } = await this.settled(name);
      if (ready.status !== 'True') throw new Error(`${ready.reason}: ${ready.message}`);
      return object;
    });
  }

  /** Returns all check runs of a commit, oldest first. */
  async checkRuns(sha: string): Promise<ShownCheckRun[]> {
    const { check_runs: runs } = await this.#read<{ check_runs: ShownCheckRun[] }>(
      `commits/${sha}/check-runs?filter=all&per_page=100`,
    );
    return runs.sort((a, b) => a.id - b.id);
  }

  /** Returns all commit statuses of a commit, newest first. */
  statuses(sha: string): Promise<{ context: string; state: string; description: string | null }[]> {
    return this.#read(`commits/${sha}/statuses`);
  }

  /** Returns all statuses of a commit at GitLab, oldest first. */
  gitlabStatuses(
    sha: string,
  ): Promise<{ id: number; name: string; status: string; description: string | null }[]> {
    const { forge } = this.parts.fixture.platform;
    const project = `${forge.url}/api/v4/projects/${encodeURIComponent(this.repository.fullName)}`;
    return this.#ask(`${project}/repository/commits/${sha}/statuses?all=true&per_page=100`);
  }

  #read<T>(path: string): Promise<T> {
    return this.#ask(`${this.parts.fixture.platform.forge.apiUrl}/repos/${this.repository.fullName}/${path}`);
  }

  async #ask<T>(url: string): Promise<T> {
    const { reader } = this.parts.fixture;
    const { statusCode, body } = await request(url, { headers: { authorization: `Bearer ${reader.token}` } });
    if (statusCode !== 200) throw new Error(`${url} was answered ${statusCode}: ${await body.text()}`);
    return (await body.json()) as T;
  }

  /**
   * Returns the requests about this repository that have reached the forge's API since a position in its journal, except the
   * requests of the test itself.
   */
  requests(since: number): string[] {
    const { forge } = this.parts.fixture.platform;
    return forge.journal
      .entries({ since, api: 'rest' })
      .filter(({ path }) => decodeURIComponent(path).includes(`/${this.repository.fullName}/`))
      .filter(({ actor }) => actor !== 'ada')
      .map(({ method, path }) => `${method} ${path}`);
  }
}
