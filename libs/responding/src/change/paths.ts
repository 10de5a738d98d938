import { Problem, type OrProblem } from '@interlock/base';

const maxPathBytes = 1024;
const maxSegmentBytes = 255;

/**
 * Returns the normal form of the path of a file in a repository, or what is wrong with it: relative, with `/`, without empty
 * and `.` segments.
 */
export function normalisePath(path: string): OrProblem<string> {
  const wrong = (message: string) => new Problem('InvalidPath', message, { transient: false });
  if (path === '') return wrong('it is empty; name a file of the repository');
  if (Buffer.byteLength(path) > maxPathBytes) return wrong(`it is longer than ${maxPathBytes} bytes`);
  if (/\p{Cc}/u.test(path)) return wrong('it contains control characters');
  if (/\p{Cs}/u.test(path)) return wrong('it is not valid Unicode');
  if (path.includes('\\')) return wrong('it contains a backslash; write /');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(segments[0] ?? ''))
    return wrong('it is absolute; write it relative to the root of the repository');
  if (/(^|\/)\.?$/.test(path)) return wrong('it is a folder; name a file');
  if (segments.includes('..')) return wrong('it contains ".."; write the path without it');
  if (segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes))
    return wrong(`a part of it is longer than ${maxSegmentBytes} bytes`);
  if (segments.some(isGitFolder)) return wrong('it is inside .git');
  return segments.join('/');
}

/**
 * Returns whether a file system treats a name as `.git`: in any case; with trailing dots and spaces, an alternate stream or
 * the short name (NTFS); with characters that it ignores (HFS+). The rules are those of git's `core.protectHFS` and
 * `core.protectNTFS`.
 */
function isGitFolder(segment: string): boolean {
  const plain = plainSegment(segment);
  return plain === '.git' || plain === 'git~1';
}

/**
 * Returns a path in the form in which case-insensitive and normalizing file systems compare it: in lower case, in the
 * compatibility form of Unicode, without characters that they ignore, and with the long names of the short names (NTFS) that
 * matter here.
 */
export function plainPath(path: string): string {
  return path
    .split('/')
    .map((segment) => longName(plainSegment(segment)))
    .join('/');
}

function plainSegment(segment: string): string {
  return segment
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
}

/** Maps the first six characters of a short name (8.3), which omits the leading dot, to the long name. */
const longNames: Readonly<Record<string, string>> = {
  github: '.github',
  gitea: '.gitea',
  forgej: '.forgejo',
  gitlab: '.gitlab',
  gitmod: '.gitmodules',
  codeow: 'codeowners',
  workfl: 'workflows',
};

function longName(segment: string): string {
  const [, start = '', extension = ''] = /^([^~.]{1,6})~[0-9]{1,6}(\.[^.]{1,3})?$/.exec(segment) ?? [];
  if (start === 'gitlab' && extension === '.yml') return '.gitlab-ci.yml';
  return (Object.hasOwn(longNames, start) ? longNames[start] : undefined) ?? segment;
}

/** Returns the folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns a path inside a folder, which may be empty. */
export function inFolder(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

/** Returns the path that `path` names from within a folder; undefined when it is outside the repository, or is a URL. */
export function resolvePath(folder: string, path: string): string | undefined {
  if (path.startsWith('/') || path.includes('://')) return undefined;
  const segments: string[] = [];
  for (const segment of inFolder(folder, path).split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join('/');
}
