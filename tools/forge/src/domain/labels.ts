import { sameName, type Core } from './core.js';
import type { Account, Label, PullRequest, Repository } from './model.js';
import type { PullRequests } from './pulls.js';
import { Refusal, found } from './refusal.js';

const defaultColor = 'ededed';

/** The labels of a repository and of its pull requests. */
export class Labels {
  constructor(
    readonly core: Core,
    readonly pulls: PullRequests,
  ) {}

  find(repository: Repository, name: string): Label | undefined {
    return repository.labels.find((label) => sameName(label.name, name));
  }

  /** @throws Refusal `AlreadyExists`. */
  create(
    repository: Repository,
    {
      name,
      color = defaultColor,
      description = null,
    }: { name: string; color?: string | undefined; description?: string | null },
  ): Label {
    if (this.find(repository, name) !== undefined) {
      throw new Refusal({ code: 'AlreadyExists', resource: 'Label', field: 'name' });
    }
    const label: Label = { id: this.core.nextId(), name, color, description };
    repository.labels.push(label);
    return label;
  }

  of(repository: Repository, pull: PullRequest): Label[] {
    return pull.labels.map((name) => found(this.find(repository, name)));
  }

  /** Adds labels, and creates those that the repository does not have yet. */
  add(repository: Repository, sender: Account, pull: PullRequest, names: readonly string[]): void {
    for (const name of names) {
      const label = this.find(repository, name) ?? this.create(repository, { name });
      if (pull.labels.includes(label.name)) continue;
      pull.labels.push(label.name);
      this.pulls.touch(pull);
      this.pulls.announce(repository, sender, { action: 'labeled', pull, label: label.name });
    }
  }

  /** @throws Refusal `NotFound` when the pull request does not have the label. */
  remove(repository: Repository, sender: Account, pull: PullRequest, name: string): void {
    const carried = found(pull.labels.find((label) => sameName(label, name)));
    pull.labels = pull.labels.filter((label) => label !== carried);
    this.pulls.touch(pull);
    this.pulls.announce(repository, sender, { action: 'unlabeled', pull, label: carried });
  }

  /** Replaces the labels with these. */
  set(repository: Repository, sender: Account, pull: PullRequest, names: readonly string[]): void {
    for (const label of [...pull.labels]) {
      if (!names.some((name) => sameName(name, label))) this.remove(repository, sender, pull, label);
    }
    this.add(repository, sender, pull, names);
  }
}
