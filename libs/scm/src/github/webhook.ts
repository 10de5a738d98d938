import { TypedError } from '@interlock/api';
import { headerOf, hmacMatches, type MovedRef, type WebhookEvent, type WebhookReceiver } from '../webhook.js';
import { Section } from '../section.js';

const noCommit = /^0+$/;
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

/** GitHub, "Webhook events and payloads" and "Validating webhook deliveries". */
export const githubWebhook: WebhookReceiver = {
  verify(headers, body, secret) {
    const [scheme, signature] = (headerOf(headers, 'x-hub-signature-256') ?? '').split('=');
    return scheme === 'sha256' && signature !== undefined && hmacMatches(signature, body, secret);
  },

  parse(headers, body) {
    const event = headerOf(headers, 'x-github-event');
    if (event === undefined) throw new TypedError('Invalid', 'the header X-GitHub-Event is missing');
    const payload = parseObject(body);
    const kind = kinds.get(event) ?? 'other';
    const repository = nested(payload, 'repository');
    const owner = text(nested(repository, 'owner'), 'login') ?? text(nested(repository, 'owner'), 'name');
    const name = text(repository, 'name');
    const pullRequest = nested(payload, 'pull_request')?.['number'];
    const sha = shaOf(event, payload);
    return {
      kind,
      delivery: headerOf(headers, 'x-github-delivery'),
      repository: owner === undefined || name === undefined ? undefined : { owner, name },
      refs: kind === 'push' ? movedRefs(payload) : [],
      ...(typeof pullRequest === 'number' ? { pullRequest } : {}),
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

type Json = Readonly<Record<string, unknown>>;

function parseObject(body: Buffer): Json {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw new TypedError(
    'Invalid',
    'the body is not a JSON object; set the content type of the webhook to application/json',
  );
}

function movedRefs(payload: Json): MovedRef[] {
  const ref = text(payload, 'ref');
  if (ref === undefined) throw new TypedError('Invalid', 'the push names no ref');
  return [{ ref, before: commit(payload, 'before'), after: commit(payload, 'after') }];
}

function shaOf(event: string, payload: Json): string | undefined {
  switch (event) {
    case 'status':
      return text(payload, 'sha');
    case 'check_run':
    case 'check_suite':
      return text(nested(payload, event), 'head_sha');
    default:
      return text(nested(nested(payload, 'pull_request'), 'head'), 'sha');
  }
}

function commit(payload: Json, field: string): string | undefined {
  const sha = text(payload, field);
  return sha === undefined || noCommit.test(sha) ? undefined : sha;
}

function nested(value: Json | undefined, field: string): Json | undefined {
  const inner = value?.[field];
  return isObject(inner) ? inner : undefined;
}

function text(value: Json | undefined, field: string): string | undefined {
  const inner = value?.[field];
  return typeof inner === 'string' ? inner : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names of owners and repositories are the same in any case. */
function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
