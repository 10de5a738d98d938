import type { ForgeEvent } from '../domain/events.js';
import type { Hook, Installation } from '../domain/model.js';
import type { Delivery } from './delivery.js';

/** The payload that a protocol of the forge writes for an event. */
export interface Payload {
  event: string;
  action: string | null;
  payload: Record<string, unknown>;
}

export type Renderer = (event: ForgeEvent, installation: Installation | undefined) => Payload[];

/** The format in which a provider delivers events. */
interface HookProtocol {
  render: Renderer;
  /** Returns the headers that only this provider sends. @param now milliseconds since the epoch */
  headers(hook: Hook, delivery: Delivery, body: string, now: number): Record<string, string>;
}

export type HookProtocols = Readonly<Record<Hook['protocol'], HookProtocol>>;
