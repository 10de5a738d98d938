import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isEmbedded } from './test-cluster.js';
import { alone, startWorld, type World, type WorldOptions } from './world.js';

/* Two fleets in one cluster would both act on every tenant. */
const laneCount = isEmbedded ? 2 : 1;
const timeoutMs = isEmbedded ? 600_000 : 1_800_000;

/** Why crash points at writes to the cluster need the embedded one. */
export const unobservable = 'crash points are found by observing the calls to the API server';

/** Where the tests of a file or block kill an app. There is nothing in it before they begin. */
interface CrashWorlds<Prepared> {
  readonly worlds: readonly World[];
  readonly prepared: Prepared;
}

interface CrashWorldsOptions<Prepared> extends Pick<WorldOptions, 'scm'> {
  /** Makes what all scenarios begin with, at a path at which there is nothing. */
  prepare(path: string, worlds: readonly World[]): Promise<Prepared>;
  /** Ends what `prepare` has started. */
  clean?(prepared: Prepared): Promise<void>;
}

/** Starts worlds before the tests of the file or block in which it is called, and ends them afterwards. */
export function useCrashWorlds<Prepared>({
  scm = 'github',
  prepare,
  clean,
}: CrashWorldsOptions<Prepared>): CrashWorlds<Prepared> {
  let worlds: World[] = [];
  let prepared: Prepared | undefined;
  beforeAll(async () => {
    worlds = await Promise.all(Array.from({ length: laneCount }, () => startWorld({ fleet: alone, scm })));
    const [{ folder } = { folder: '' }] = worlds;
    prepared = await prepare(join(folder, 'template.git'), worlds);
  }, timeoutMs);
  afterAll(async () => {
    if (prepared !== undefined) await clean?.(prepared);
    await Promise.all(worlds.map((world) => world.close()));
  });
  return {
    get worlds() {
      return worlds;
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
