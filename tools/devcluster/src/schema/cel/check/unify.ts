import { dynType, errorType, sameType } from './type.js';
import type { CelType } from './type.js';

const nullable = new Set(['opaque', 'struct', 'duration', 'timestamp', 'null']);
const parameterized = new Set(['opaque', 'list', 'map']);

/**
 * The types that the type parameters of an expression currently stand for. Two types agree when one can be assigned to
 * the other; trying the assignment binds parameters. The rules are those of cel-go (checker/types.go).
 */
export class Substitutions {
  #bound = new Map<string, CelType>();
  #fresh = 0;

  /** Returns a type parameter that nothing binds yet. */
  freshParam(): CelType {
    return { kind: 'param', name: `_var${this.#fresh++}`, params: [] };
  }

  /**
   * Reports whether each type is assignable to the target at the same index; keeps the parameters bound only when all
   * types are.
   */
  assignAll(types: readonly CelType[], targets: readonly CelType[]): boolean {
    const before = new Map(this.#bound);
    if (this.#allAssignable(types, targets)) return true;
    this.#bound = before;
    return false;
  }

  assign(type: CelType, target: CelType): boolean {
    return this.assignAll([type], [target]);
  }

  /**
   * Returns a type with the bound types in place of its parameters; unbound parameters become `dyn` if `final` is true.
   */
  resolve(type: CelType, final = false): CelType {
    const bound = this.#find(type);
    if (bound !== undefined) return this.resolve(bound, final);
    if (type.kind === 'param') return final ? dynType : type;
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((param) => this.resolve(param, final)) };
  }

  #find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.#bound.get(type.name) : undefined;
  }

  #allAssignable(types: readonly CelType[], targets: readonly CelType[]): boolean {
    return (
      types.length === targets.length &&
      types.every((type, index) => this.#isAssignable(type, targets[index] ?? errorType))
    );
  }

  #isAssignable(a: CelType, b: CelType): boolean {
    if (b.kind === 'param') {
      const { valid, isBound } = this.#bind(a, b);
      if (valid || isBound) return valid;
    }
    if (a.kind === 'param') return this.#bind(b, a).valid;
    if (isWildcard(a) || isWildcard(b)) return true;
    if (a.kind === 'null') return nullable.has(b.kind);
    if (b.kind === 'null') return nullable.has(a.kind);
    if (a.kind === 'type') return b.kind === 'type';
    if (parameterized.has(a.kind)) {
      return a.kind === b.kind && a.name === b.name && this.#allAssignable(a.params, b.params);
    }
    return sameType(a, b);
  }

  /** Tries to make `param` stand for `type`. */
  #bind(type: CelType, param: CelType): { valid: boolean; isBound: boolean } {
    if (sameType(type, param)) return { valid: true, isBound: true };
    const bound = this.#find(param);
    if (bound === undefined) {
      const valid = this.#isFreeOf(param, type);
      if (valid) this.#bound.set(param.name, type);
      return { valid, isBound: false };
    }
    if (sameType(type, bound)) return { valid: true, isBound: true };
    if (!this.#isAssignable(type, bound)) return { valid: false, isBound: true };
    const general = moreGeneral(type, bound);
    if (this.#isFreeOf(param, general)) this.#bound.set(param.name, general);
    return { valid: true, isBound: true };
  }

  /** Reports whether a parameter does not occur in a type, so that the type can stand for it. */
  #isFreeOf(param: CelType, type: CelType): boolean {
    if (sameType(param, type)) return false;
    if (type.kind === 'param') {
      const bound = this.#find(type);
      return bound === undefined || this.#isFreeOf(param, bound);
    }
    return type.params.every((inner) => this.#isFreeOf(param, inner));
  }
}

function isWildcard({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

/** Returns the more general of two types of which one is assignable to the other. */
export function moreGeneral(a: CelType, b: CelType): CelType {
  return isAtMostAsSpecific(a, b) ? a : b;
}

function isAtMostAsSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (!parameterized.has(a.kind)) return sameType(a, b);
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => isAtMostAsSpecific(param, b.params[index] ?? errorType))
  );
}
