import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { ContractHarness, ContractWorld, Current } from './contract-world.js';

/** Gives each test a world of a harness. Returns what gives that of the test that runs. */
export function useWorld(harness: ContractHarness): Current {
  let world: ContractWorld;
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());
  beforeEach(async () => {
    world = await harness.open();
  });
  afterEach(() => world.close());
  return () => world;
}
