import { TypedError } from '@interlock/api';
import { Minimatch } from 'minimatch';
import { quoted } from '../problem.js';
import { plainPath } from './paths.js';

/** The allowed files and limits of a change (`paths` and `limits` of a route). */
export interface Guards {
  /** Globs; if absent, every file is allowed. */
  allow?: readonly string[] | undefined;
  /** Globs, in addition to {@link alwaysDenied}. */
  deny?: readonly string[] | undefined;
  maxFiles?: number | undefined;
  maxBytes?: number | undefined;
}

/** Files that other CI systems run by default, according to the documentation of each. */
const otherDefinitions = [
  '.buildkite/**',
  '.circleci/**',
  '.cirrus.{yml,star}',
  '.drone.{yml,yaml,jsonnet,star}',
  '.semaphore/**',
  '.tekton/**',
  '.travis.yml',
  '.woodpecker/**',
  '.woodpecker.{yml,yaml}',
  '{,.}appveyor.{yml,yaml}',
  'azure-pipelines.{yml,yaml}',
  'bitbucket-pipelines.yml',
  'Jenkinsfile',
];

/**
 * Files that the SCMs run with the secrets of the repository, and files that name reviewers. No response may change them.
 * Sources: "Workflow syntax" and "About code owners" of GitHub; "CI/CD YAML", "Code Owners" and "Agent configuration
 * repository" of GitLab; "Gitea Actions" and "Code Owners" of Gitea; "Forgejo Actions" and "Code owners" of Forgejo. Gitea
 * and Forgejo run the workflows of GitHub's folder, too.
 */
const alwaysDenied = [
  '.github/workflows/**',
  '.github/actions/**',
  '.gitea/workflows/**',
  '.gitea/actions/**',
  '.forgejo/workflows/**',
  '.forgejo/actions/**',
  '.gitlab-ci.yml',
  '.gitlab-ci.yaml',
  '.gitlab/ci/**',
  '.gitlab/agents/**',
  '{,docs/,.github/,.gitlab/,.gitea/,.forgejo/}CODEOWNERS',
  '.gitmodules',
  ...otherDefinitions,
].map((glob) => compiled(glob, true));
const defaultMaxFiles = 20;
const defaultMaxBytes = 1_000_000;

/**
 * @throws TypedError `Invalid` (`PathNotAllowed`) that names the path and the rule, when the guards forbid a change of a
 *   file. Denied globs ignore case, and match names that a file system treats as the same, because checkouts do.
 */
export function checkPath(path: string, { allow, deny = [] }: Guards): void {
  const plain = plainPath(path);
  const denies = (glob: Minimatch): boolean => glob.match(path) || glob.match(plain);
  const always = alwaysDenied.find((glob) => denies(glob) || isBelow(glob.pattern, plain));
  if (always !== undefined) throw notAllowed(path, `${quoted(always.pattern)} is always denied`);
  const denying = deny.find((glob) => denies(compiled(glob, true)));
  if (denying !== undefined) throw notAllowed(path, `it matches ${quoted(denying)} of paths.deny`);
  if (allow !== undefined && !allow.some((glob) => compiled(glob, false).match(path)))
    throw notAllowed(path, 'nothing in paths.allow matches it');
}

function notAllowed(path: string, because: string): TypedError {
  return new TypedError('Invalid', `${quoted(path)} may not be changed: ${because}`, {
    reason: 'PathNotAllowed',
  });
}

/** Returns whether a path is the folder of a denied glob: a file that replaces the folder would delete it. */
function isBelow(glob: string, path: string): boolean {
  return glob.endsWith('/**') && path === glob.slice(0, -'/**'.length);
}

/** Returns a glob as in .gitignore's full form: `*` within a folder, `**` across folders, dots are not special. */
function compiled(glob: string, nocase: boolean): Minimatch {
  return new Minimatch(glob, {
    nocase,
    dot: true,
    nocomment: true,
    nonegate: true,
    noext: true,
    platform: 'linux',
    braceExpandMax: 256,
  });
}

/** @throws TypedError `Invalid` (`TooManyFiles`, `TooLarge`) when a change is larger than allowed. */
export function checkSize(files: readonly { content?: string | undefined }[], guards: Guards): void {
  const { maxFiles = defaultMaxFiles, maxBytes = defaultMaxBytes } = guards;
  if (files.length > maxFiles)
    throw new TypedError('Invalid', `the change has ${files.length} files; limits.maxFiles is ${maxFiles}`, {
      reason: 'TooManyFiles',
    });
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0);
  if (bytes > maxBytes)
    throw new TypedError('Invalid', `the change has ${bytes} bytes; limits.maxBytes is ${maxBytes}`, {
      reason: 'TooLarge',
    });
}
