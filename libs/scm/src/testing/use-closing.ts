import { afterEach } from '@jest/globals';

interface Closable {
  close(): Promise<void>;
}

/** Returns a function that closes its argument after the test, the last one first, and returns it. */
export function useClosing(): <T extends Closable>(opened: T) => T {
  const all: Closable[] = [];
  afterEach(async () => {
    for (const one of all.splice(0).reverse()) await one.close();
  });
  return (opened) => {
    all.push(opened);
    return opened;
  };
}
