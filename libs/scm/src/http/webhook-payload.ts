import { TypedError } from '@interlock/api';
import { Section } from '../section.js';
import type { MovedRef, WebhookEvent } from '../webhook.js';
import { changesOnly, commitOf, nested, sameName, textOf, type Json } from './payload.js';

const textFields: ReadonlySet<string> = new Set(['title', 'body']);

/**
 * Returns whether an event concerns a text of a pull request, or has one of the `actions` that change neither its state
 * nor its branches: writes of texts and labels by this process cause such events.
 */
export function isTextChange(payload: Json, actions: ReadonlySet<string>): boolean {
  const action = textOf(payload, 'action') ?? '';
  return actions.has(action) || (action === 'edited' && changesOnly(nested(payload, 'changes'), textFields));
}

/** Returns the ref that a push moved. @throws TypedError `Invalid` when there is none. */
export function movedRefs(payload: Json): MovedRef[] {
  const ref = textOf(payload, 'ref');
  if (ref === undefined) throw new TypedError('Invalid', 'the push does not name a ref');
  return [{ ref, before: commitOf(payload, 'before'), after: commitOf(payload, 'after') }];
}

/** Returns whether a section of a GitRepository, which is at `path`, names the repository of an event by owner and name. */
export function namesRepository({ repository }: WebhookEvent, value: unknown, path: string): boolean {
  if (repository === undefined) return false;
  const section = new Section(value, path);
  return (
    sameName(section.string('owner'), repository.owner) && sameName(section.string('name'), repository.name)
  );
}
