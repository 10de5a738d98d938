import { keyString, type ObjectKey } from '@interlock/api';
import {
  type FluxObject,
  type FluxReference,
  ownAnnotations,
  referenceOf,
  referenceString,
} from '@interlock/gating';

/** A hold that is being written, or that the cache may not show yet. */
interface Pending {
  bindings: ReadonlySet<string>;
  isWritten: boolean;
}

/**
 * Tracks which bindings are known to have the finalizer, so that no object is held for a binding that could be deleted
 * without a release. All methods are synchronous: no other code runs between an answer and its consequences.
 */
export class HoldGuards {
  readonly #guarded = new Set<string>();
  /** Objects that wait for the finalizer of a binding. */
  readonly #requests = new Map<string, Map<string, FluxReference>>();
  readonly #pending = new Map<string, Pending>();
  readonly #handlers: ((binding: ObjectKey) => void)[] = [];

  /**
   * Subscribes to requests for the finalizer.
   *
   * @param handler called for a binding that needs the finalizer before an object is held for it
   */
  onRequest(handler: (binding: ObjectKey) => void): void {
    this.#handlers.push(handler);
  }

  /**
   * Returns whether a hold may be written: all bindings that it names have the finalizer. The hold then counts as being
   * written until {@link written} is called. The finalizer is requested for bindings that do not have it, and the object
   * waits until {@link guard} is called.
   */
  begin(object: FluxObject, holders: readonly string[]): boolean {
    const bindings = holders
      .filter((name) => name !== ownAnnotations)
      .map((name) => keyOfClaim(name, object));
    const missing = bindings.filter((key) => !this.#guarded.has(keyString(key)));
    const reference = referenceOf(object);
    for (const binding of missing) {
      const waiting = this.#requests.get(keyString(binding)) ?? new Map<string, FluxReference>();
      this.#requests.set(keyString(binding), waiting.set(referenceString(reference), reference));
      for (const handler of this.#handlers) handler(binding);
    }
    if (missing.length > 0) return false;
    this.#pending.set(referenceString(reference), {
      bindings: new Set(bindings.map(keyString)),
      isWritten: false,
    });
    return true;
  }

  /** Records that the write of a hold has ended, successfully or not. The cache may not show it yet. */
  written(object: FluxObject): void {
    const pending = this.#pending.get(referenceString(referenceOf(object)));
    if (pending !== undefined) pending.isWritten = true;
  }

  /** Records that the cache shows the last write of an object. */
  seen(object: { kind: string; metadata: ObjectKey }): void {
    const key = referenceString(referenceOf(object));
    if (this.#pending.get(key)?.isWritten === true) this.#pending.delete(key);
  }

  /** Records that the object is gone. */
  forgetObject(object: FluxObject): void {
    this.#pending.delete(referenceString(referenceOf(object)));
  }

  /** Records that the binding has the finalizer. Returns the objects that waited for it. */
  guard(binding: ObjectKey): FluxReference[] {
    const key = keyString(binding);
    const waiting = this.#requests.get(key) ?? new Map<string, FluxReference>();
    this.#guarded.add(key);
    this.#requests.delete(key);
    return [...waiting.values()];
  }

  /** Records that the binding is about to lose the finalizer. */
  unguard(binding: ObjectKey): void {
    this.#guarded.delete(keyString(binding));
  }

  /** Records that the binding is gone. */
  forgetBinding(binding: ObjectKey): void {
    this.unguard(binding);
    this.#requests.delete(keyString(binding));
  }

  isRequested(binding: ObjectKey): boolean {
    return this.#requests.has(keyString(binding));
  }

  /** Returns whether a hold for the binding is being written, or was written and is not in the cache yet. */
  isPending(binding: ObjectKey): boolean {
    const key = keyString(binding);
    return [...this.#pending.values()].some(({ bindings }) => bindings.has(key));
  }
}

/** Returns the key of the binding that a name in the annotations of an object refers to; reverses `claimName`. */
export function keyOfClaim(name: string, { metadata }: FluxObject): ObjectKey {
  const [first = '', second] = name.split('/');
  if (second !== undefined) return { namespace: first, name: second };
  return { namespace: metadata.namespace, name };
}
