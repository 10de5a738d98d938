import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { ContractHarness, ContractFixture, Current } from './contract-fixture.js';

/** Gives each test a fixture of a harness. Returns a function that returns the fixture of the running test. */
export function useFixture(harness: ContractHarness): Current {
  let fixture: ContractFixture;
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());
  beforeEach(async () => {
    fixture = await harness.open();
  });
  afterEach(() => fixture.close());
  return () => fixture;
}
