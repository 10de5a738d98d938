import {
  keyOf,
  keyString,
  timestampOf,
  type Gate,
  type GateBinding,
  type GateReference,
  type ObjectKey,
} from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { appliesTo, decideRequire, gateKey, type GateReading, type Subject } from '@interlock/gating';
import { gateOfOverride, gateOfRef, gatesOfBinding, type GateCaches } from '../caches.js';
import type { EvaluationBarrier } from '../gate/barrier.js';
import type { GateReader } from '../gate/reader.js';
import type { BindingVerdict, Judge, Verdict } from './actuator.js';
import { nextOfBinding } from './next.js';

const maxMessage = 1024;

/** Judges bindings by their gates. */
export class BindingJudge implements Judge {
  readonly #caches: GateCaches;
  readonly #reader: GateReader;
  readonly #barrier: EvaluationBarrier;

  constructor(caches: GateCaches, reader: GateReader, barrier: EvaluationBarrier) {
    this.#caches = caches;
    this.#reader = reader;
    this.#barrier = barrier;
  }

  get settled(): boolean {
    return this.#barrier.open;
  }

  subscribe(handler: (gate: ObjectKey | 'all') => void): void {
    this.#caches.gates.subscribe(({ object }) => handler(keyOf(object)));
    this.#caches.overrides.subscribe(({ object }) => handler(gateOfOverride(object)));
    this.#barrier.onOpen(() => handler('all'));
  }

  judge(binding: GateBinding, now: number): BindingVerdict {
    const scoped = gatesOfBinding(binding).flatMap((gate) => this.#reader.scopedOverrides(gate));
    const judged = new Map<string, Verdict>();
    /* Subjects differ only by the overrides that apply to them. There may be thousands, and each verdict takes time. */
    const of = (subject: Subject | undefined): Verdict => {
      const applying = scoped.filter((override) => appliesTo(override, subject));
      const id = applying.map((override) => keyString(keyOf(override))).join();
      const verdict =
        judged.get(id) ?? this.#judge(binding, now, applying.length === 0 ? undefined : subject);
      judged.set(id, verdict);
      return verdict;
    };
    return {
      ...of(undefined),
      gates: this.#gates(binding, now),
      mayRelease: this.#barrier.open,
      of,
      approvedRevisions: (target) => (scoped.length > 0 ? this.#approved(binding, now, target) : []),
    };
  }

  #judge(binding: GateBinding, now: number, subject: Subject | undefined): Verdict {
    const { state, message } = decideRequire(binding.spec, this.#readings(binding, now, subject));
    const gates = binding.spec.refs.map((ref) => {
      const observed =
        this.#refusal(binding, ref) === undefined && this.#reader.observe(gateOfRef(binding, ref));
      return observed === false || observed === 'pending' ? undefined : observed;
    });
    const next = nextOfBinding(binding, gates, this.#reader, now, subject);
    const opens = state !== 'Open' && next?.state === 'Open' ? `; opens at ${timestampOf(next.at)}` : '';
    return {
      state: state === 'Open' ? 'Open' : 'Closed',
      message: message + opens,
      next: next && { ...next, at: timestampOf(next.at) },
    };
  }

  #gates(binding: GateBinding, now: number): BindingVerdict['gates'] {
    return this.#readings(binding, now, undefined).map(({ ref, state, message }) => {
      const { name, namespace = '' } = gateOfRef(binding, ref);
      return { name, namespace, state, message: prefixOf(message, maxMessage) };
    });
  }

  #readings(binding: GateBinding, now: number, subject: Subject | undefined): GateReading[] {
    return binding.spec.refs.map((ref) => {
      const refusal = this.#refusal(binding, ref);
      const reading =
        refusal === undefined ? this.#reader.ask(gateOfRef(binding, ref), now, subject) : undefined;
      return { ref, state: reading?.state ?? 'Unknown', message: reading?.message ?? refusal ?? '' };
    });
  }

  #refusal(binding: GateBinding, ref: GateReference): string | undefined {
    return refusalOf(binding, ref, this.#reader.get(gateOfRef(binding, ref)));
  }

  /**
   * Returns the revisions that a target may take. A revision that one gate lets through passes only if the other gates
   * are open or let it through as well.
   */
  #approved(binding: GateBinding, now: number, target: Pick<Subject, 'kind' | 'name'>): string[] {
    const approved = gatesOfBinding(binding).flatMap((gate) => this.#reader.approved(gate, now, target));
    return [...new Set(approved)].filter((revision) => {
      const readings = this.#readings(binding, now, { kind: target.kind, name: target.name, revision });
      return decideRequire(binding.spec, readings).state === 'Open';
    });
  }
}

/** Returns why a binding may not refer to a gate; undefined if it may. */
export function refusalOf(
  binding: GateBinding,
  ref: GateReference,
  gate: Gate | undefined,
): string | undefined {
  const key = gateOfRef(binding, ref);
  if (gate === undefined) return `Gate ${keyString(key)} does not exist; create it`;
  const { namespace = '' } = binding.metadata;
  if (key.namespace === namespace) return undefined;
  const allowed = gate.spec.allowedNamespaces ?? [];
  if (allowed.includes('*') || allowed.includes(namespace)) return undefined;
  return `Gate ${gateKey(ref)} does not allow namespace ${namespace}; add it to its spec.allowedNamespaces`;
}
