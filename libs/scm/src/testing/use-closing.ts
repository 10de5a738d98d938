import { afterEach } from '@jest/globals';

interface Closable {
  close(): Promise<void>;
}

/** Returns a function that returns its argument, and closes it after the test. The last argument is closed first. */
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
