import type { ContractFixture } from './contract-fixture.js';

/** The actions and reads of a user at any SCM, with its API or with git. */
export interface UserActions {
  commit: ContractFixture['commit'];
  write: ContractFixture['write'];
  open: ContractFixture['open'];
  close: ContractFixture['closePullRequest'];
  retarget: ContractFixture['retarget'];
  merge: ContractFixture['merge'];
  conflict: ContractFixture['conflict'];
  pullRequests: ContractFixture['pullRequests'];
  comment: ContractFixture['comment'];
  comments: ContractFixture['comments'];
  status: ContractFixture['status'];
}

/** Returns the user actions of a fixture. */
export function userActions(user: UserActions) {
  return {
    commit: (branch) => user.commit(branch),
    write: (branch, files) => user.write(branch, files),
    open: (head, base) => user.open(head, base),
    closePullRequest: (id) => user.close(id),
    retarget: (id, base) => user.retarget(id, base),
    merge: (id) => user.merge(id),
    conflict: (id) => user.conflict(id),
    pullRequests: () => user.pullRequests(),
    comment: (id, body) => user.comment(id, body),
    comments: (id) => user.comments(id),
    status: (sha, name) => user.status(sha, name),
  } satisfies Partial<ContractFixture>;
}
