/** Name, address and time of an author or a committer. */
export interface Signature {
  name: string;
  email: string;
  /** ISO 8601 with the local offset. */
  date: string;
}

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
}

const recordEnd = '\0\x01';
/** The value of `git log --format=` whose output `parseCommits` parses. */
export const commitFormat = '%H%n%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B%x00%x01';

/** Returns the commits in the output of `git log --format=<commitFormat>`. */
export function parseCommits(output: string): Commit[] {
  return output
    .split(recordEnd)
    .map((record) => record.replace(/^\n/, ''))
    .filter((record) => record !== '')
    .map(parseCommit);
}

function parseCommit(record: string): Commit {
  const lines = record.split('\n');
  const [sha = '', tree = '', parents = '', an = '', ae = '', ad = '', cn = '', ce = '', cd = ''] = lines;
  return {
    sha,
    tree,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author: { name: an, email: ae, date: withOffset(ad) },
    committer: { name: cn, email: ce, date: withOffset(cd) },
    message: lines.slice(9).join('\n').replace(/\n+$/, ''),
  };
}

/** Returns a date with the offset of UTC, for which git 2.45 and later write `Z`. */
function withOffset(date: string): string {
  return date.replace(/Z$/, '+00:00');
}

/** Returns environment variables with the author, the committer and the times for `git commit-tree`. */
export function signatureEnvironment(author: Signature, committer: Signature): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: author.date,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: committer.date,
  };
}
