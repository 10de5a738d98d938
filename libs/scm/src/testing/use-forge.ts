import { afterAll, beforeAll } from '@jest/globals';

/** Starts a forge for all tests of a file, and closes it after them. */
export function useForge<F extends { close(): Promise<void> }>(
  start: () => Promise<F>,
  assign: (forge: F) => void,
): void {
  let forge: F | undefined;
  beforeAll(async () => {
    forge = await start();
    assign(forge);
  });
  afterAll(() => forge?.close());
}
