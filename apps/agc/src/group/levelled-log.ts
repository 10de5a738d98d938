import type { Logger } from '@interlock/base';

/**
 * Returns a logger that calls `levelOf` for the level of each line; if the result is undefined, the level of `log`
 * applies.
 */
export function levelledLog(log: Logger, levelOf: () => string | undefined): Logger {
  const logs = new Map<string, Logger>();
  const current = (): Logger => {
    const level = levelOf();
    if (level === undefined) return log;
    let levelled = logs.get(level);
    if (levelled === undefined) logs.set(level, (levelled = log.child({}, { level })));
    return levelled;
  };
  return {
    debug: (fields, message) => current().debug(fields, message),
    info: (fields, message) => current().info(fields, message),
    warn: (fields, message) => current().warn(fields, message),
    error: (fields, message) => current().error(fields, message),
    child: (fields, options) =>
      options === undefined ? levelledLog(log.child(fields), levelOf) : log.child(fields, options),
  };
}
