import type { Commit, Signature } from './commit.js';

/** The content of a new commit. */
export interface NewCommit {
  tree: string;
  parents: readonly string[];
  author: Signature;
  committer: Signature;
  message: string;
}

const objectId = /^[0-9a-f]{40}$/;
const timeZone = /^[+-]\d{4}$/;
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/;
/* Characters that git removes from names and addresses: anywhere, and at their ends. */
// oxlint-disable-next-line no-control-regex
const removed = /[\0-\x1f<>]/;
// oxlint-disable-next-line no-control-regex
const trimmed = /^[\0- .,:;<>"\\']|[\0- .,:;<>"\\']$/;
/* A time in 1973: git does not interpret smaller numbers as seconds since the epoch. */
const minSeconds = 100_000_000;
const maxSeconds = 4_102_444_800;

/**
 * Reads a commit object (git-cat-file(1), `git cat-file commit`) as `git log` does.
 *
 * @returns undefined for a commit that git has to convert or may refuse, such as one in another encoding.
 */
export function parseCommitObject(sha: string, content: Buffer): Commit | undefined {
  const text = content.toString('utf8');
  const end = text.indexOf('\n\n');
  if (end === -1) return undefined;
  const lines = text.slice(0, end).split('\n');
  const valuesOf = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  const [tree = '', ...otherTrees] = valuesOf('tree');
  const parents = valuesOf('parent');
  const [author, committer] = ['author', 'committer'].map((key) => parseSignature(valuesOf(key)));
  const isPlain = otherTrees.length === 0 && valuesOf('encoding').length === 0;
  if (!isPlain || ![tree, ...parents].every((id) => objectId.test(id))) return undefined;
  if (author === undefined || committer === undefined) return undefined;
  return { sha, tree, parents, author, committer, message: trimEnd(text.slice(end + 2)) };
}

/**
 * Returns the commit object that `git commit-tree` creates with the message as its input. @returns undefined for names,
 * addresses or times that git changes or may refuse.
 */
export function commitObject({ tree, parents, author, committer, message }: NewCommit): Buffer | undefined {
  const signatures = [formatSignature(author), formatSignature(committer)];
  if (signatures.includes(undefined) || message.includes('\0')) return undefined;
  if (![tree, ...parents].every((id) => objectId.test(id))) return undefined;
  const lines = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${signatures[0]}`,
    `committer ${signatures[1]}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${message}\n`);
}

function trimEnd(message: string): string {
  let end = message.length;
  while (message[end - 1] === '\n') end -= 1;
  return message.slice(0, end);
}

function parseSignature([line = '', ...others]: readonly string[]): Signature | undefined {
  const [open, close] = [line.indexOf(' <'), line.indexOf('> ')];
  if (others.length > 0 || open <= 0 || close < open || line.indexOf('<') !== line.lastIndexOf('<')) {
    return undefined;
  }
  const [seconds = '', zone = '', ...rest] = line.slice(close + 2).split(' ');
  const isTime = /^\d{9,10}$/.test(seconds) && Number(seconds) < maxSeconds && timeZone.test(zone);
  if (rest.length > 0 || !isTime) return undefined;
  const name = line.slice(0, open);
  return { name, email: line.slice(open + 2, close), date: isoOf(Number(seconds), zone) };
}

/** Returns the time as `git log --format=%aI` does before git 2.45, which writes `+00:00` for UTC. */
function isoOf(seconds: number, zone: string): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  const offset = zone.startsWith('-') ? -minutes : minutes;
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  return `${local}${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function formatSignature({ name, email, date }: Signature): string | undefined {
  if ([name, email].some((text) => text === '' || removed.test(text) || trimmed.test(text))) return undefined;
  const seconds = isoDate.test(date) ? Date.parse(date) / 1000 : NaN;
  if (!(seconds >= minSeconds && seconds < maxSeconds)) return undefined;
  const zone = date.endsWith('Z') ? '+0000' : date.slice(19).replace(':', '');
  return `${name} <${email}> ${seconds} ${zone}`;
}
