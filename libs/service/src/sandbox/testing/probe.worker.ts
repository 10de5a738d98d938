/** The script of this module for a thread; the test transformation inserts it here. */
export declare const source: string;

/** Returns twice a value. The other functions behave as functions do with hostile input. */
export function double(value: number): number {
  return value * 2;
}

export function fail(message: string): never {
  throw new Error(message);
}

export function loop(): never {
  for (;;);
}

export function hoard(): number {
  const texts: string[][] = [];
  for (;;) texts.push(Array.from({ length: 10_000 }, (_, index) => `${texts.length}-${index}`));
}

export function environment(): string[] {
  return Object.keys(process.env);
}
