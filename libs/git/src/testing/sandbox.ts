import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BareFolder } from '@interlock/base/testing';

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '@1700000000 +0100',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
  GIT_COMMITTER_DATE: '@1700000060 +0100',
};

/** The same identity, as in a commit object. */
const signatures = {
  author: 'Ada <ada@example.com> 1700000000 +0100',
  committer: 'Grace <grace@example.com> 1700000060 +0100',
};

const settings = '[uploadpack]\n\tallowFilter = true\n[http]\n\treceivepack = true\n';

/** Polls for a condition. Rejects after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  for (let left = 6_000; !condition(); left -= 1) {
    if (left === 0) throw new Error('the condition did not come true');
    await delay(10);
  }
}

/** One git process started through the wrapper. */
interface LoggedProcess {
  args: string[];
  environment: string;
}

/** A temporary folder with everything a test needs; `remove` deletes all of it. */
export class Sandbox {
  readonly root = mkdtempSync(join(tmpdir(), 'interlock-git-'));
  readonly cacheDir = join(this.root, 'cache');
  readonly #log = join(this.root, 'processes');

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  /**
   * Returns a program that records argv and environment of each start and then runs git; `before` is shell code that
   * runs in between.
   */
  gitWrapper(before = ''): string {
    mkdirSync(this.#log, { recursive: true });
    return this.program(
      'git-wrapper',
      `#!/bin/sh
f=$(mktemp "${this.#log}/$(date +%s%N)-XXXXXX")
{ for a in "$@"; do printf '%s\\n' "$a"; done; printf '\\n--env\\n'; env; } > "$f.part"
rm "$f"; mv "$f.part" "$f.started"
${before}
exec git "$@"
`,
    );
  }

  /** Writes an executable file. */
  program(name: string, text: string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  }

  /** Returns the processes started through the wrapper since the last call, oldest first. */
  processes(): LoggedProcess[] {
    const names = readdirSync(this.#log).filter((name) => name.endsWith('.started'));
    return names.sort().map((name) => {
      const path = join(this.#log, name);
      const [args = '', environment = ''] = readFileSync(path, 'utf8').split('\n\n--env\n');
      rmSync(path);
      return { args: args.split('\n'), environment };
    });
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  bytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  remote(name = 'remote.git'): TestRemote {
    return new TestRemote(this.path(name));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A bare repository written as a hydrator would, without a work tree. */
export class TestRemote {
  readonly url: string;
  readonly #folder: BareFolder;

  constructor(readonly directory: string) {
    this.url = `file://${directory}`;
    this.#folder = new BareFolder(directory);
    if (!existsSync(directory)) this.#folder.init(settings);
  }

  git(args: string[], input: string | Buffer = ''): string {
    const env = { ...process.env, ...identity, GIT_DIR: this.directory };
    return execFileSync('git', args, { env, input, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  tree(files: Record<string, string>): string {
    const entries = Object.entries(files).map(([path, text]) => ({
      path,
      mode: '100644',
      id: this.blob(text),
    }));
    return this.#folder.putTree(entries);
  }

  blob(text: string): string {
    return this.#folder.putBlob(text);
  }

  /** Commits `files` on top of `ref`, which then points at the commit. */
  commit(ref: string, files: Record<string, string>, message = 'a commit', parents?: string[]): string {
    const tip = this.tip(ref);
    const above = parents ?? (tip === undefined ? [] : [tip]);
    const sha = this.#folder.putCommit({ tree: this.tree(files), parents: above, message, ...signatures });
    this.#folder.putRef(ref, sha);
    return sha;
  }

  tip(ref: string): string | undefined {
    return this.#folder.ref(ref);
  }

  note(ref: string, object: string, text: string): void {
    this.git(['notes', '--ref', ref, 'add', '-f', '-F', '-', object], text);
  }
}
