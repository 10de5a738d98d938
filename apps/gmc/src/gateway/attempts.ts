import { isTyped, TypedError, type ErrorType, type Kind } from '@interlock/api';
import { truncate } from '@interlock/base';
import { ApiError } from '@interlock/kube';

/** An object whose write the API server refused. */
interface Refusal {
  kind: string;
  name: string;
  error: ApiError;
}

type ObjectName = Pick<Refusal, 'kind' | 'name'>;

/** What isolates the pods of a tenant, or is mounted into them. */
const precautions: readonly string[] = ['Namespace', 'NetworkPolicy', 'Secret'];
/** The objects that start pods. */
const starters: readonly string[] = ['Deployment', 'RunnerGroup'];

/** The types of errors, beginning with the one that is retried first. */
const retryOrder: readonly ErrorType[] = [
  'Transient',
  'Conflict',
  'NotFound',
  'Invalid',
  'Permanent',
  'Unauthorized',
];
const shownObjects = 5;
const longestCause = 1024;

/**
 * Writes the objects of a tenant one after the other. A refused object delays no other one, except that no pods are started or
 * changed while an object that isolates them is refused.
 */
export class Attempts {
  readonly #refusals: Refusal[] = [];
  readonly #held: ObjectName[] = [];

  /** Whether a write was refused. */
  get haveFailed(): boolean {
    return this.#refusals.length > 0;
  }

  /** Returns whether an object would start pods that are not isolated, so that it must not be applied. */
  holds({ kind }: Pick<Kind, 'kind'>, name: string): boolean {
    const isHeld = starters.includes(kind) && this.#refusals.some((one) => precautions.includes(one.kind));
    if (isHeld) this.#held.push({ kind, name });
    return isHeld;
  }

  /**
   * Writes an object. Returns the result; undefined if the API server refuses the object.
   *
   * @throws errors that do not concern the object, for example if the API server does not respond
   */
  async run<T>({ kind }: Pick<Kind, 'kind'>, name: string, write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#refusals.push({ kind, name, error });
      return undefined;
    }
  }

  /** Throws an error that names the refused objects, if there are any. It is retried as the error that is retried first. */
  finish(): void {
    const [first] = this.#refusals;
    if (first === undefined) return;
    const errors = this.#refusals.map(({ error }) => error);
    const passing = errors.find((error) => isTyped(error, 'Conflict', 'NotFound'));
    /* The object was changed meanwhile, which is not a failure. */
    if (passing !== undefined && errors.every((error) => isTyped(error, 'Conflict', 'NotFound')))
      throw passing;
    const type = retryOrder.find((one) => errors.some((error) => error.type === one)) ?? first.error.type;
    const { reason } = errors.find((error) => error.type === type) ?? first.error;
    throw new TypedError(type, this.#message(), { reason, cause: first.error });
  }

  #message(): string {
    const causes = this.#refusals.map(
      ({ kind, name, error }) => `${kind} ${name}: ${truncate(error.message, longestCause)}`,
    );
    const refused = firstOf(causes, '; ');
    if (this.#held.length === 0) return refused;
    const held = this.#held.map(({ kind, name }) => `${kind} ${name}`);
    return `${refused}; not applied until then: ${firstOf(held, ', ')}`;
  }
}

function firstOf(texts: readonly string[], separator: string): string {
  const shown = texts.slice(0, shownObjects);
  const more = texts.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(separator);
}

/** Returns whether the API server has answered about an object, so that it may accept others. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code > 0 && !isTyped(error, 'RateLimited');
}
