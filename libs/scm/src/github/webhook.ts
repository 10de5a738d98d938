import { TypedError } from '@interlock/api';
import { headerOf, hmacMatches, type MovedRef, type WebhookEvent, type WebhookReceiver } from '../webhook.js';
import {
  changesOnly,
  commitOf,
  nested,
  numberOf,
  parseObject,
  sameName,
  textOf,
  type Json,
} from '../http/payload.js';
import { Section } from '../section.js';

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

/** Actions on a pull request that change neither its state nor its branches, nor what it may be merged with. */
const textActions: ReadonlySet<string | undefined> = new Set([
  'assigned',
  'demilestoned',
  'labeled',
  'milestoned',
  'review_request_removed',
  'review_requested',
  'unassigned',
  'unlabeled',
]);
const textFields: ReadonlySet<string> = new Set(['title', 'body']);

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
    const kind = isText(event, payload) ? 'other' : (kinds.get(event) ?? 'other');
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
      ...(pullRequest === undefined ? {} : { pullRequest }),
      ...(sha === undefined ? {} : { sha }),
    };
  },

  concerns({ repository }, value) {
    if (repository === undefined) return false;
    const section = new Section(value, 'spec.github');
    return (
      sameName(section.string('owner'), repository.owner) && sameName(section.string('name'), repository.name)
    );
  },
};

/** Our own writes of texts and labels cause such events. */
function isText(event: string, payload: Json): boolean {
  if (event !== 'pull_request') return false;
  const action = textOf(payload, 'action');
  return (
    textActions.has(action) || (action === 'edited' && changesOnly(nested(payload, 'changes'), textFields))
  );
}

function movedRefs(payload: Json): MovedRef[] {
  const ref = textOf(payload, 'ref');
  if (ref === undefined) throw new TypedError('Invalid', 'the push names no ref');
  return [{ ref, before: commitOf(payload, 'before'), after: commitOf(payload, 'after') }];
}

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
