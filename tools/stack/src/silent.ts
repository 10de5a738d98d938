import type { Logger } from '@interlock/kube';

/** For what nobody has to read about. */
export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};
