import { TypedError, type EventResponse, type ResponseRoute } from '@interlock/api';
import type { Guards } from './guards.js';
import type { Operation } from './operation.js';
import { parseOperations } from './parse.js';

/**
 * Returns the requested change of a response; at least one operation.
 * @throws TypedError `Invalid`: `InvalidParameters`, or `NoOperations` when its parameters do not describe an
 *   operation.
 */
export function operationsOf({ spec: { action } }: EventResponse): Operation[] {
  const operations = parseOperations(action.parameters ?? {});
  if (operations.length > 0) return operations;
  throw new TypedError(
    'Invalid',
    'action.parameters: set path and either contents or delete, or set changes',
    {
      reason: 'NoOperations',
    },
  );
}

/** Returns the guards of a route. */
export function guardsOf({ paths = {}, limits = {} }: ResponseRoute): Guards {
  const { allow, deny } = paths;
  const { maxFiles, maxBytes } = limits;
  return { allow, deny, maxFiles, maxBytes };
}
