import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isEmbedded } from './test-cluster.js';
import { alone, startFixture, type Fixture, type FixtureOptions } from './fixture.js';

/* Two fleets in one cluster would both act on every tenant. */
const laneCount = isEmbedded ? 2 : 1;
const timeoutMs = isEmbedded ? 600_000 : 1_800_000;

/** Why crash points at writes to the cluster need the embedded one. */
export const unobservable = 'crash points are found by observing the calls to the API server';

/** Where the tests of a file or block kill an app. There is nothing in it before they begin. */
interface CrashFixtures<Prepared> {
  readonly fixtures: readonly Fixture[];
  readonly prepared: Prepared;
}

interface CrashFixturesOptions<Prepared> extends Pick<FixtureOptions, 'scm'> {
  /** Makes what all scenarios begin with, at a path at which there is nothing. */
  prepare(path: string, fixtures: readonly Fixture[]): Promise<Prepared>;
  /** Ends what `prepare` has started. */
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

/** A test that passes when there is nothing that goes wrong; see {@link crashEverywhere}. */
export function crashTest(title: string, problems: () => Promise<string[]>): void {
  test(title, async () => expect(await problems()).toEqual([]), timeoutMs);
}
