import { TypedError } from '@interlock/api';
import { changesOnly, nested, numberOf, parseObject, sameName, textOf, type Json } from '../http/payload.js';
import { movedRefs } from '../http/webhook-payload.js';
import {
  headerOf,
  standardSignatureMatches,
  tokenMatches,
  type WebhookEvent,
  type WebhookReceiver,
} from '../webhook.js';
import { readProject } from './account.js';

const kinds = new Map<string, WebhookEvent['kind']>([
  ['push', 'push'],
  ['tag_push', 'push'],
  ['merge_request', 'pullRequest'],
  ['pipeline', 'commitStatus'],
  ['build', 'commitStatus'],
]);

/** Fields of a merge request that affect neither its state, nor its branches, nor whether it may be merged. */
const textFields: ReadonlySet<string> = new Set([
  'assignees',
  'description',
  'labels',
  'last_edited_at',
  'last_edited_by_id',
  'milestone_id',
  'reviewers',
  'title',
  'updated_at',
  'updated_by_id',
]);

/**
 * Returns the receiver of GitLab ("Webhooks" and "Webhook events"). A secret that begins with `whsec_` is a signing
 * token; any other is the secret token, which GitLab sends unchanged.
 *
 * @param now milliseconds since the epoch.
 */
export function gitlabWebhook(now: () => number): WebhookReceiver {
  return {
    signatureHeaders: ['x-gitlab-token', 'webhook-signature'],
    verify(headers, body, secret) {
      if (secret.startsWith('whsec_')) return standardSignatureMatches(headers, body, secret, now());
      return tokenMatches(headerOf(headers, 'x-gitlab-token') ?? '', secret);
    },
    parse(headers, body) {
      if (headerOf(headers, 'x-gitlab-event') === undefined) {
        throw new TypedError('Invalid', 'the header X-Gitlab-Event is missing');
      }
      const payload = parseObject(body);
      const kind = isText(payload) ? 'other' : (kinds.get(textOf(payload, 'object_kind') ?? '') ?? 'other');
      const subject = nested(payload, kind === 'pullRequest' ? 'object_attributes' : 'merge_request');
      const pullRequest = numberOf(subject, 'iid');
      const sha = shaOf(payload);
      return {
        kind,
        delivery: headerOf(headers, 'idempotency-key') ?? headerOf(headers, 'x-gitlab-event-uuid'),
        repository: repositoryOf(payload),
        refs: kind === 'push' ? movedRefs(payload) : [],
        pullRequest,
        sha,
      };
    },
    concerns({ repository }, value) {
      if (repository === undefined) return false;
      const { namespace, name, id } = readProject(value);
      if (id !== undefined && repository.id !== undefined) return id === repository.id;
      return sameName(namespace, repository.owner) && sameName(name, repository.name);
    },
  };
}

/**
 * Returns whether an event concerns only texts and labels, such as the writes of this plugin. A draft has a separate
 * field.
 */
function isText(payload: Json): boolean {
  const { action, oldrev } = nested(payload, 'object_attributes') ?? {};
  return (
    textOf(payload, 'object_kind') === 'merge_request' &&
    action === 'update' &&
    oldrev === undefined &&
    changesOnly(nested(payload, 'changes'), textFields)
  );
}

function repositoryOf(payload: Json): WebhookEvent['repository'] {
  const project = nested(payload, 'project');
  const path = textOf(project, 'path_with_namespace') ?? '';
  const slash = path.lastIndexOf('/');
  if (slash < 1) return undefined;
  const id = numberOf(project, 'id');
  const names = { owner: path.slice(0, slash), name: path.slice(slash + 1) };
  return id === undefined ? names : { ...names, id };
}

function shaOf(payload: Json): string | undefined {
  switch (textOf(payload, 'object_kind')) {
    case 'pipeline':
      return textOf(nested(payload, 'object_attributes'), 'sha');
    case 'build':
      return textOf(payload, 'sha');
    case 'merge_request':
      return textOf(nested(nested(payload, 'object_attributes'), 'last_commit'), 'id');
    default:
      return undefined;
  }
}
