import type { Clock } from '@interlock/base';
import { jsonReply } from '../http/json.js';
import type { Reply } from '../http/message.js';
import type { ServiceFaultEffect } from './fault-rules.js';

type LimitEffect = Extract<ServiceFaultEffect, { kind: 'too-many-requests' }>;

/** Returns the answer that replaces the real one; undefined for a fault that handles the request, or ends it without an answer. */
export function faultReply(effect: ServiceFaultEffect, clock: Clock): Reply | undefined {
  switch (effect.kind) {
    case 'status':
      return statusReply(effect.status, effect.headers, effect.body);
    case 'too-many-requests':
      return jsonReply(429, { message: 'Too many requests' }, retryAfter(effect, clock));
    case 'primary-limit':
      return jsonReply(
        403,
        { message: 'API rate limit exceeded for installation.' },
        {
          'x-ratelimit-limit': '5000',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Math.ceil(clock.now() / 1000) + (effect.seconds ?? 60)),
        },
      );
    case 'secondary-limit':
      return jsonReply(
        403,
        {
          message:
            'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
        },
        { 'retry-after': String(effect.seconds ?? 60) },
      );
    case 'unauthorized':
      return jsonReply(401, { message: 'Unauthorized' });
    case 'html':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>',
      };
    case 'empty':
      return { status: 202 };
    case 'huge-body':
      return jsonReply(200, { filler: 'x'.repeat(effect.bytes ?? 64 * 1024 * 1024) });
    case 'reset':
    case 'reset-after-commit':
    case 'hang':
    case 'slow-body':
    case 'truncated-body':
    case 'wrong-content-type':
      return undefined;
  }
}

function statusReply(status: number, headers: Record<string, string> = {}, body?: unknown): Reply {
  if (body === undefined) return { status, headers };
  if (typeof body === 'string')
    return { status, headers: { 'content-type': 'text/plain', ...headers }, body };
  return jsonReply(status, body, headers);
}

function retryAfter({ retryAfter: form, seconds = 60 }: LimitEffect, clock: Clock): Record<string, string> {
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(seconds) };
    case 'date':
      return { 'retry-after': new Date(clock.now() + seconds * 1000).toUTCString() };
    case 'absurd':
      return { 'retry-after': '1000000000' };
    case 'negative':
      return { 'retry-after': '-5' };
    case 'absent':
      return {};
  }
}
