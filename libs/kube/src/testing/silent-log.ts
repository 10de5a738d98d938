import type { Logger } from '../runtime/types.js';

const nothing = (): void => undefined;

/** A log that nobody reads. */
export const silentLog: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
};
