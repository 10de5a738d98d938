import { hydratorMetadataFile, hydratorNotesRef } from '@interlock/git';
import { commitEach, commitFiles, type BranchCommit, type LocalRepository } from '@interlock/stack';

export const dryBranch = 'main';

/** The proposals for the environments. */
export interface Proposal {
  drySHA: string;
  /** Environment branch → commit on its proposed branch. */
  hydrated: Record<string, string>;
}

/** The actions of developers and of the hydrator in a repository, and reads of it. */
export class RepositoryWriter {
  #changes = 0;

  readonly #clock: { now(): number };

  constructor(
    readonly local: LocalRepository,
    clock: { now(): number },
    protected readonly environments: readonly string[],
  ) {
    this.#clock = clock;
  }

  /** Puts a first commit on the dry branch, and its output on every environment branch and proposed branch. */
  async begin(): Promise<void> {
    const { hydrated } = await this.propose();
    const lines = Object.entries(hydrated).map(([branch, sha]) => `create refs/heads/${branch} ${sha}\n`);
    await this.local.git(['update-ref', '--stdin'], { input: lines.join('') });
  }

  /** Commits to the dry branch. Returns the commit. */
  commitDry(text = `change ${++this.#changes}`): Promise<string> {
    return this.commit(dryBranch, { 'values.yaml': `text: ${text}\n` }, text);
  }

  /** Puts a commit with exactly these files on a branch. Returns the commit. */
  commit(branch: string, files: Record<string, string>, message = `change of ${branch}`): Promise<string> {
    return commitFiles(this.local, this.#commitOf(branch, files, message));
  }

  #commitOf(branch: string, files: Record<string, string>, message: string): BranchCommit {
    return { branch, message, files: new Map(Object.entries(files)), time: this.#clock.now() };
  }

  /** Commits to an environment branch by hand, on top of its content. Returns the commit. */
  async amend(branch: string, files: Record<string, string>): Promise<string> {
    const kept: Record<string, string> = {};
    for (const path of await this.files(branch)) {
      kept[path] = `${await this.local.git(['show', `${branch}:${path}`])}\n`;
    }
    return this.commit(branch, { ...kept, ...files }, 'hotfix');
  }

  /** Returns the paths in a commit. */
  files(commit: string): Promise<string[]> {
    return this.local.lines(['ls-tree', '-r', '--name-only', commit]);
  }

  /** Puts the output of a dry commit on the proposed branch of an environment. Returns the hydrated commit. */
  hydrate(branch: string, drySHA: string, files?: Record<string, string>): Promise<string> {
    return commitFiles(this.local, this.#hydratedOf(branch, drySHA, files));
  }

  #hydratedOf(branch: string, drySHA: string, files?: Record<string, string>): BranchCommit {
    const manifest = files ?? { 'manifest.yaml': `environment: ${branch}\noutput: ${drySHA}\n` };
    const metadata = { drySha: drySHA, author: 'Ada <ada@example.com>', subject: 'a change' };
    return this.#commitOf(
      `${branch}-next`,
      { ...manifest, [hydratorMetadataFile]: `${JSON.stringify(metadata)}\n` },
      `hydrate ${drySHA}`,
    );
  }

  /** Commits a change and hydrates it for environments; default: all. */
  async propose(...branches: string[]): Promise<Proposal> {
    const drySHA = await this.commitDry();
    const chosen = branches.length > 0 ? branches : this.environments;
    const commits = chosen.map((branch) => this.#hydratedOf(branch, drySHA));
    const shas = await commitEach(this.local, commits);
    return {
      drySHA,
      hydrated: Object.fromEntries(chosen.map((branch, index) => [branch, shas[index] ?? ''])),
    };
  }

  /** Notes that hydrating a dry commit changed nothing in a hydrated commit. */
  async note(hydratedSHA: string, drySHA: string): Promise<void> {
    const note = JSON.stringify({ drySha: drySHA });
    await this.local.git(['notes', `--ref=${hydratorNotesRef}`, 'add', '-f', '-m', note, hydratedSHA]);
  }

  /** Returns the commit at the tip of a branch. */
  tip(branch: string): Promise<string> {
    return this.local.git(['rev-parse', `refs/heads/${branch}`]);
  }

  /** Returns the newest dry commit. */
  dryTip(): Promise<string> {
    return this.tip(dryBranch);
  }

  /** Returns the tree of a commit. */
  tree(commit: string): Promise<string> {
    return this.local.git(['rev-parse', `${commit}^{tree}`]);
  }

  /** Returns the trailers of a commit; for a repeated key, the last value. */
  async trailers(commit: string): Promise<Record<string, string>> {
    const lines = await this.local.lines(['show', '-s', '--format=%(trailers:only,unfold)', commit]);
    const pairs = lines.filter((line) => line !== '').map((line) => line.split(/: (.*)/s));
    return Object.fromEntries(pairs.map(([key = '', value = '']) => [key, value]));
  }
}
