import type { Base } from '../options.js';
import type { Refused } from '../record/refused.js';
import { jsonReply } from './json.js';
import type { Reply } from './message.js';

const documentation = 'https://docs.github.com/rest';

/** Returns a refusal in the format of the base that the request reached. */
export function refusalReply(base: Base, { status, message, kind, headers = {} }: Refused): Reply {
  switch (base) {
    case 'broker':
      return jsonReply(
        status,
        {
          source: 'actions-broker-listener',
          errorKind: kind ?? 'Unknown',
          statusCode: status,
          errorMessage: message,
        },
        headers,
      );
    case 'run':
      return jsonReply(
        status,
        { source: 'actions-run-service', statusCode: status, errorMessage: message },
        headers,
      );
    case 'token':
      return jsonReply(status, { error: kind ?? 'invalid_request', error_description: message }, headers);
    case 'tenant':
      return jsonReply(
        status,
        { $id: '1', message, typeName: kind ?? '', typeKey: kind ?? '', errorCode: 0 },
        headers,
      );
    case 'rest':
    case 'results':
    case 'control':
      return jsonReply(
        status,
        { message, documentation_url: documentation, status: String(status) },
        headers,
      );
  }
}
