import { TypedError } from '@interlock/api';
import { nested, numberOf, parseObject, textOf, type Json } from '../http/payload.js';
import { isTextChange, movedRefs, namesRepository } from '../http/webhook-payload.js';
import { headerOf, hmacMatches, type WebhookEvent, type WebhookReceiver } from '../webhook.js';

const kinds = new Map<string, WebhookEvent['kind']>([
  ['ping', 'ping'],
  ['push', 'push'],
  ['create', 'other'],
  ['pull_request', 'pullRequest'],
  ['pull_request_review', 'pullRequest'],
  ['check_run', 'commitStatus'],
  ['check_suite', 'commitStatus'],
  ['status', 'commitStatus'],
]);

/** Actions on a pull request that change neither its state, nor its branches, nor whether it may be merged. */
const textActions: ReadonlySet<string> = new Set([
  'assigned',
  'demilestoned',
  'labeled',
  'milestoned',
  'review_request_removed',
  'review_requested',
  'unassigned',
  'unlabeled',
]);

/** GitHub, "Webhook events and payloads" and "Validating webhook deliveries". */
export const githubWebhook: WebhookReceiver = {
  signatureHeaders: ['x-hub-signature-256'],

  verify(headers, body, secret) {
    const [scheme, signature] = (headerOf(headers, 'x-hub-signature-256') ?? '').split('=');
    return scheme === 'sha256' && signature !== undefined && hmacMatches(signature, body, secret);
  },

  parse(headers, body) {
    const event = headerOf(headers, 'x-github-event');
    if (event === undefined) throw new TypedError('Invalid', 'the header X-GitHub-Event is missing');
    const payload = parseObject(body);
    const isText = event === 'pull_request' && isTextChange(payload, textActions);
    const kind = isText ? 'other' : (kinds.get(event) ?? 'other');
    const repository = nested(payload, 'repository');
    const owner = textOf(nested(repository, 'owner'), 'login') ?? textOf(nested(repository, 'owner'), 'name');
    const name = textOf(repository, 'name');
    const pullRequest = numberOf(nested(payload, 'pull_request'), 'number');
    const sha = shaOf(event, payload);
    return {
      kind,
      delivery: headerOf(headers, 'x-github-delivery'),
      repository: owner === undefined || name === undefined ? undefined : { owner, name },
      refs: kind === 'push' ? movedRefs(payload) : [],
      pullRequest,
      sha,
    };
  },

  concerns: (event, section) => namesRepository(event, section, 'spec.github'),
};

function shaOf(event: string, payload: Json): string | undefined {
  switch (event) {
    case 'status':
      return textOf(payload, 'sha');
    case 'check_run':
    case 'check_suite':
      return textOf(nested(payload, event), 'head_sha');
    default:
      return textOf(nested(nested(payload, 'pull_request'), 'head'), 'sha');
  }
}
