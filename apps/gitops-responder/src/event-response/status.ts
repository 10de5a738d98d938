import {
  conditions as conditionTypes,
  timestampOf,
  type EventResponse,
  type EventResponseStatus,
} from '@interlock/api';
import { truncate } from '@interlock/base';
import { markReady, markReconciling, markStalled, removeCondition, setCondition } from '@interlock/kube';
import type { ChangePlan } from '@interlock/responding';
import { maxDetail, type ResponseError } from './retry.js';

/** The message for a cancelled response without a reason. */
export const cancelledText = 'the response was cancelled';

/** The reason for a response whose pull request does not exist any more. */
export const missingReason = 'PullRequestMissing';

/** Builds the next status of a response from its current status. Other fields are kept. */
export class StatusBuilder {
  #status: EventResponseStatus;

  readonly #response: EventResponse;
  readonly #now: number;

  constructor(response: EventResponse, now: number) {
    this.#response = response;
    this.#now = now;

    this.#status = { ...response.status, observedGeneration: response.metadata.generation ?? 0 };
  }

  build(): EventResponseStatus {
    return this.#status;
  }

  set(fields: Partial<EventResponseStatus>): this {
    this.#status = { ...this.#status, ...fields };
    return this;
  }

  clear(...fields: (keyof EventResponseStatus)[]): this {
    const kept = Object.entries(this.#status).filter(([key]) => !fields.includes(key));
    this.#status = Object.fromEntries(kept);
    return this;
  }

  plan({ digest, files, added, removed }: ChangePlan): this {
    const listed = files.slice(0, 100).map(({ path, change }) => ({ path, change }));
    return this.set({ plan: { digest, files: listed, added, removed } });
  }

  request(request: NonNullable<EventResponseStatus['changeRequest']>): this {
    return this.set({
      changeRequest: request,
      ...(request.url !== undefined && { providerRef: request.url }),
    });
  }

  condition(
    type: 'routed' | 'planned' | 'submitted' | 'merged' | 'followed' | 'decorated' | 'cleanedUp',
    status: 'True' | 'False' | 'Unknown',
    reason: string,
    message: string,
  ): this {
    const input = { type: conditionTypes[type], status, reason, message };
    const { generation } = this.#response.metadata;
    return this.set({ conditions: setCondition(this.#status.conditions, input, generation, this.#now) });
  }

  /** Removes a condition that no longer holds. */
  without(type: 'submitted' | 'merged' | 'followed' | 'decorated' | 'cleanedUp'): this {
    return this.set({ conditions: removeCondition(this.#status.conditions, conditionTypes[type]) });
  }

  /** Marks the response as in progress or waiting. */
  reconciling(reason: string, message: string): this {
    return this.#mark(markReconciling, reason, message);
  }

  /** Sets a successful final phase. */
  succeeded(reason: string, message: string): this {
    return this.#final('Succeeded').clear('error').#mark(markReady, reason, message);
  }

  /** Sets a failed final phase. */
  failed(error: ResponseError): this {
    const { type, reason = type } = error;
    const detail = truncate(error.detail ?? '', maxDetail);
    return this.#final('Failed')
      .set({ error: { type, reason, detail }, outcome: { type: 'Errored', message: detail } })
      .#mark(markStalled, reason, detail);
  }

  cancelled(message: string): this {
    return this.#final('Cancelled').#mark(markStalled, 'Cancelled', message);
  }

  #final(phase: 'Succeeded' | 'Failed' | 'Cancelled'): this {
    const completedAt = this.#status.completedAt ?? timestampOf(this.#now);
    return this.clear('nextAttemptAt', 'waitingFor').set({ phase, completedAt });
  }

  #mark(mark: typeof markReady, reason: string, message: string): this {
    const { generation } = this.#response.metadata;
    const conditions = mark(this.#status.conditions, { reason, message }, generation, this.#now);
    return this.set({ conditions });
  }
}
