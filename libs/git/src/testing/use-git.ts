import { afterEach, beforeEach } from '@jest/globals';
import { createGit, type Git, type Mirror } from '../index.js';
import type { GitOptions } from '../options.js';
import { Sandbox, type TestRemote } from './sandbox.js';

/** The resources of one test. */
interface GitFixture {
  sandbox: Sandbox;
  remote: TestRemote;
  /** The instance that was opened last. */
  git: Git;
  /** Opens git, which is closed after the test. */
  open(options?: Partial<GitOptions>): Git;
}

/** Gives each test a remote in a folder. Returns an object with the members of the running test. */
export function useGit(): GitFixture {
  const opened: Git[] = [];
  const fixture = {
    open(options: Partial<GitOptions> = {}): Git {
      const { cacheDir } = fixture.sandbox;
      fixture.git = createGit({ cacheDir, transports: ['file'], ...options });
      opened.push(fixture.git);
      return fixture.git;
    },
  } as GitFixture;
  beforeEach(() => {
    fixture.sandbox = new Sandbox();
    fixture.remote = fixture.sandbox.remote();
  });
  afterEach(() => {
    for (const git of opened.splice(0)) git.close();
    fixture.sandbox.remove();
  });
  return fixture;
}

/** Does the same as {@link useGit}, and adds a mirror of the remote whose processes are recorded. */
export function useMirror(): GitFixture & { mirror: Mirror } {
  const fixture = useGit() as GitFixture & { mirror: Mirror };
  beforeEach(() => {
    const git = fixture.open({ gitPath: fixture.sandbox.gitWrapper() });
    fixture.mirror = git.mirror({ url: fixture.remote.url, tenant: 't' });
  });
  return fixture;
}
