import { EventResponse, fieldManagers, isTyped, type EventResponseStatus } from '@interlock/api';
import { semanticEqual, type Client } from '@interlock/kube';

const maxConflicts = 10;

/**
 * Writes the status of responses. Never over a status that it has not seen: others write it, too, to cancel, for one.
 */
export class StatusWriter {
  constructor(
    private readonly client: Client,
    private readonly written: (
      response: EventResponse,
      before: EventResponseStatus | undefined,
      after: EventResponseStatus,
    ) => void,
  ) {}

  /**
   * @returns the response with the status; the same object when it has it already.
   * @throws ApiError `Conflict` when it is not any more as it was seen.
   */
  async write(
    response: EventResponse,
    status: EventResponseStatus,
    signal: AbortSignal,
  ): Promise<EventResponse> {
    if (semanticEqual(response.status, status)) return response;
    const written = await this.client.update(
      EventResponse,
      { ...response, status },
      { subresource: 'status', fieldManager: fieldManagers.gitopsResponder, signal },
    );
    this.written(response, response.status, status);
    return written;
  }

  /**
   * Writes what has happened, whatever others have written meanwhile.
   * @param next the status that follows from the one that a response has.
   * @throws ApiError `NotFound` when the response is gone, or another has its name.
   */
  async change(
    response: EventResponse,
    next: (current: EventResponse) => EventResponseStatus,
    signal: AbortSignal,
  ): Promise<EventResponse> {
    let current = response;
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await this.write(current, next(current), signal);
      } catch (error) {
        if (!isTyped(error, 'Conflict') || conflicts >= maxConflicts) throw error;
        const { name } = response.metadata;
        const live = await this.client.get(EventResponse, { name }, { signal });
        if (live.metadata.uid !== response.metadata.uid) throw error;
        current = live;
      }
    }
  }
}
