import { isTyped, TypedError } from '@interlock/api';
import { mirrorDamaged, mirrorLost } from './process/failure.js';

interface MirrorCommand {
  args: readonly string[];
  remote?: boolean;
}

/** Returns the failure of a command whose mirror was recreated before the command started. */
export function createdAnew({ args }: MirrorCommand): TypedError {
  const message = `git ${args[0]} was not run: the mirror was recreated`;
  return new TypedError('Transient', message, { reason: mirrorLost, isLocal: true });
}

/**
 * Returns the error of a command, attributed to its mirror: no other process moves the references of a mirror, so a fetch
 * that cannot move one indicates a problem of the mirror.
 */
export function ofMirror(error: unknown, { args, remote }: MirrorCommand): unknown {
  const isOwnRef = isTyped(error) && error.reason === 'RefMoved' && (remote !== true || args[0] === 'fetch');
  if (!isOwnRef) return error;
  return new TypedError('Transient', error.message, { reason: mirrorDamaged, cause: error });
}
