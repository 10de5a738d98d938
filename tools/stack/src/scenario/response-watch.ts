import { EventResponse, type EventResponseStatus } from '@interlock/api';
import { silentLog, systemClock } from '@interlock/base';
import { createCache, type Cache, type Client } from '@interlock/kube';
import { waitFor } from '../wait-for.js';
import type { Print } from './narrator.js';

/** Watches EventResponses and prints their progress. */
export class ResponseWatch {
  readonly #stages = new Map<string, string[]>();
  readonly #cache: Cache<EventResponse>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  readonly #print: Print;

  constructor(client: Client, print: Print) {
    this.#print = print;

    this.#cache = createCache(
      client,
      EventResponse,
      {},
      { clock: systemClock, random: Math.random, log: silentLog },
    );
    this.#cache.subscribe((event) => {
      if (event.type !== 'deleted' && !(event.type === 'added' && event.initial))
        this.#printResponse(event.object);
    });
    this.#running = this.#cache.run(this.#stopping.signal);
  }

  /** Waits until the watch observes all further changes. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#cache.waitForSync(signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Returns the stages of a response, in order. */
  stages(name: string): readonly string[] {
    return this.#stages.get(name) ?? [];
  }

  /** Waits until a response has the expected status. @returns the status. @throws Error with the actual status */
  async until(
    name: string,
    wanted: string,
    holds: (status: EventResponseStatus) => boolean,
    signal: AbortSignal,
  ): Promise<EventResponseStatus> {
    let last: EventResponseStatus = {};
    const look = (): Promise<EventResponseStatus | undefined> => {
      signal.throwIfAborted();
      last = this.#cache.get({ name })?.status ?? {};
      return Promise.resolve(holds(last) ? last : undefined);
    };
    try {
      return await waitFor(`${name} is ${wanted}`, look);
    } catch (error) {
      signal.throwIfAborted();
      const why =
        last.conditions?.find(({ type }) => type === 'Ready')?.message ?? 'no responder has reconciled it';
      throw new Error(`${name} is not ${wanted}, but ${sentence(last)}: ${why}`, { cause: error });
    }
  }

  #printResponse({ metadata: { name }, status = {} }: EventResponse): void {
    const printed = this.#stages.get(name) ?? [];
    this.#stages.set(name, printed);
    const { phase = 'Pending', stage } = status;
    const now = stage === undefined || phase === 'Failed' ? phase : stage;
    if (now === printed.at(-1) || now === 'Pending') return;
    printed.push(now);
    this.#print(`  ${name}  ${sentence(status)}`);
  }
}

/** Returns a description of a status for users. */
function sentence({
  phase = 'Pending',
  stage,
  error,
  outcome,
  route,
  plan,
  providerRef,
}: EventResponseStatus) {
  const repository = `${route?.repository ?? ''} (route ${route?.index ?? ''} of ${route?.config ?? ''})`;
  const files = plan?.files?.map(({ path, change }) => `${change} ${path}`).join(', ') ?? '';
  if (phase === 'Failed') return `Failed: ${error?.reason ?? ''}: ${error?.detail ?? ''}`;
  if (outcome?.type === 'NoActionNeeded') return `${phase}: NoActionNeeded: ${outcome.message ?? ''}`;
  const more: Readonly<Record<string, string>> = {
    Routed: `to ${repository}`,
    Planned: files,
    Submitted: providerRef ?? '',
    Merged: providerRef ?? '',
  };
  return stage === undefined ? phase : `${stage}: ${more[stage] ?? ''}`;
}
