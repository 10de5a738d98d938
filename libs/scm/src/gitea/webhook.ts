import { TypedError } from '@interlock/api';
import { nested, parseObject, textOf, type Json } from '../http/payload.js';
import { isTextChange, movedRefs, namesRepository } from '../http/webhook-payload.js';
import {
  headerOf,
  hmacMatches,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookReceiver,
} from '../webhook.js';

/** Forgejo sends its own headers and Gitea's headers. */
const prefixes = ['x-forgejo', 'x-gitea'];

/** Actions on a pull request that change neither its state, nor its branches, nor whether it may be merged. */
const textActions: ReadonlySet<string> = new Set([
  'assigned',
  'demilestoned',
  'label_cleared',
  'label_updated',
  'milestoned',
  'review_request_removed',
  'review_requested',
  'unassigned',
]);

/** Returns the receiver of Gitea and Forgejo ("Webhooks"); `path` is the section of a GitRepository. */
export function giteaWebhook(path: string): WebhookReceiver {
  return {
    signatureHeaders: prefixes.map((prefix) => `${prefix}-signature`),
    verify: (headers, body, secret) => hmacMatches(first(headers, 'signature') ?? '', body, secret),

    parse(headers, body) {
      const event = first(headers, 'event');
      if (event === undefined) throw new TypedError('Invalid', 'the header X-Gitea-Event is missing');
      const payload = parseObject(body);
      const kind = kindOf(event, payload);
      const repository = nested(payload, 'repository');
      const owner = textOf(nested(repository, 'owner'), 'login');
      const name = textOf(repository, 'name');
      const pull = nested(payload, 'pull_request');
      const number = pull?.['number'];
      const sha = kind === 'commitStatus' ? textOf(payload, 'sha') : textOf(nested(pull, 'head'), 'sha');
      return {
        kind,
        delivery: first(headers, 'delivery'),
        repository: owner === undefined || name === undefined ? undefined : { owner, name },
        refs: kind === 'push' ? movedRefs(payload) : [],
        pullRequest: typeof number === 'number' ? number : undefined,
        sha,
      };
    },

    concerns: (event, section) => namesRepository(event, section, path),
  };
}

function first(headers: WebhookHeaders, name: string): string | undefined {
  return prefixes
    .map((prefix) => headerOf(headers, `${prefix}-${name}`))
    .find((value) => value !== undefined);
}

/** Returns the kind of an event. Events about pull requests have names that begin with `pull_request`. */
function kindOf(event: string, payload: Json): WebhookEvent['kind'] {
  if (event === 'push') return 'push';
  if (event === 'status') return 'commitStatus';
  return event.startsWith('pull_request') && !isTextChange(payload, textActions) ? 'pullRequest' : 'other';
}
