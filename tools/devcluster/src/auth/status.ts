import { goQuote } from '../schema/json.js';
import type { Cause, JsonObject } from '../schema/types.js';

/** The subject of a Status. */
interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  causes?: Cause[];
}

/** Returns a `Status` of a refused request (meta/v1), without the empty fields of its details. */
export function failure(code: number, reason: string, message: string, details?: StatusDetails): JsonObject {
  const { name = '', group = '', kind = '', causes = [] } = details ?? {};
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined
      ? {}
      : {
          details: {
            ...(name === '' ? {} : { name }),
            ...(group === '' ? {} : { group }),
            ...(kind === '' ? {} : { kind }),
            ...(causes.length === 0 ? {} : { causes: causes.map((cause) => ({ ...cause })) }),
          },
        }),
    code,
  };
}

/** Returns the 422 Status for invalid fields of a kind, `Kind.group "name" is invalid: …`. */
export function invalid(kind: string, group: string, name: string, causes: Cause[]): JsonObject {
  const lines = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = lines.length === 1 ? String(lines[0]) : `[${lines.join(', ')}]`;
  const message = `${group === '' ? kind : `${kind}.${group}`} ${goQuote(name)} is invalid: ${list}`;
  return failure(422, 'Invalid', message, { name, group, kind, causes });
}
