import { afterAll, beforeAll } from '@jest/globals';

/** Starts a forge for all tests of a file, and closes it after them. Returns a function that returns the forge. */
export function useForge<F extends { close(): Promise<void> }>(start: () => Promise<F>): () => F {
  let forge: F | undefined;
  beforeAll(async () => {
    forge = await start();
  });
  afterAll(() => forge?.close());
  return () => {
    if (forge === undefined) throw new Error('the forge has not been started');
    return forge;
  };
}
