import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isEmbedded } from './test-cluster.js';
import { alone, startFixture, type Fixture, type FixtureOptions } from './fixture.js';

/* Two sets of apps in one cluster would both act on every tenant. */
const laneCount = isEmbedded ? 2 : 1;
const timeoutMs = isEmbedded ? 600_000 : 1_800_000;

/** The reason why crash points at writes require the embedded cluster. */
export const unobservable = 'crash points are found by observing the calls to the API server';

/** The fixtures in which the tests of a file or block kill an app, which are created before the tests. */
interface CrashFixtures<Prepared> {
  readonly fixtures: readonly Fixture[];
  readonly prepared: Prepared;
}

interface CrashFixturesOptions<Prepared> extends Pick<FixtureOptions, 'scm'> {
  /** Creates the template of all scenarios at a path that does not exist yet. */
  prepare(path: string, fixtures: readonly Fixture[]): Promise<Prepared>;
  /** Stops what `prepare` has started. */
  clean?(prepared: Prepared): Promise<void>;
}

/** Starts fixtures before the tests of the file or block in which it is called, and ends them afterwards. */
export function useCrashFixtures<Prepared>({
  scm = 'github',
  prepare,
  clean,
}: CrashFixturesOptions<Prepared>): CrashFixtures<Prepared> {
  let fixtures: Fixture[] = [];
  let prepared: Prepared | undefined;
  beforeAll(async () => {
    fixtures = await Promise.all(
      Array.from({ length: laneCount }, () => startFixture({ fleet: alone, scm })),
    );
    const [{ folder } = { folder: '' }] = fixtures;
    prepared = await prepare(join(folder, 'template.git'), fixtures);
  }, timeoutMs);
  afterAll(async () => {
    if (prepared !== undefined) await clean?.(prepared);
    await Promise.all(fixtures.map((fixture) => fixture.close()));
  });
  return {
    get fixtures() {
      return fixtures;
    },
    get prepared() {
      if (prepared === undefined) throw new Error('nothing is prepared before the tests begin');
      return prepared;
    },
  };
}

/** Declares a test that passes if no run has problems; see {@link crashEverywhere}. */
export function crashTest(title: string, problems: () => Promise<string[]>): void {
  test(title, async () => expect(await problems()).toEqual([]), timeoutMs);
}
