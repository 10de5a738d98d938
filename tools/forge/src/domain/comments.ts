import type { Core } from './core.js';
import type { Account, Comment, PullRequest, Repository } from './model.js';

/** Comments on pull requests. */
export class Comments {
  constructor(readonly core: Core) {}

  /** Returns the comments of a pull request, oldest first. */
  of({ comments }: Repository, { number }: PullRequest): Comment[] {
    return comments.filter(({ issueNumber }) => issueNumber === number);
  }

  create(repository: Repository, author: Account, pull: PullRequest, body: string): Comment {
    const at = this.core.now();
    const comment: Comment = {
      id: this.core.nextId(),
      issueNumber: pull.number,
      authorId: author.id,
      body,
      createdAt: at,
      updatedAt: at,
    };
    repository.comments.push(comment);
    return comment;
  }
}
