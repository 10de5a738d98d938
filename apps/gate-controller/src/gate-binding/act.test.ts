import { expect, it } from '@jest/globals';
import type { GateBinding } from '@interlock/api';
import { recordLog } from '@interlock/base/testing';
import type { ActContext } from '@interlock/kube';
import { actOnBinding } from './act.js';
import type { Actuator, BindingMode } from './actuator.js';
import type { BindingDecision } from './decide.js';
import { nothingHeld, type Holding } from './finalizer.js';
import { binding, guarded, now, observed, report } from './testing/builders.js';

/** An actuator that records its calls. */
class RecordingActuator implements Actuator {
  readonly calls: string[] = [];

  constructor(
    readonly modes: readonly BindingMode[],
    readonly holds: Holding = nothingHeld,
    readonly error?: Error,
  ) {}

  holding(): Holding {
    return this.holds;
  }

  guard(): void {
    this.calls.push('guard');
  }

  unguard(): void {
    this.calls.push('unguard');
  }

  subscribe(): void {
    this.calls.push('subscribe');
  }

  targets(): never[] {
    return [];
  }

  act() {
    this.calls.push('act');
    return this.error === undefined ? Promise.resolve(report()) : Promise.reject(this.error);
  }

  release(): Promise<void> {
    this.calls.push('release');
    return Promise.resolve();
  }
}

const holding: Holding = { ...nothingHeld, isHolding: true };

async function act(
  object: GateBinding,
  decision: BindingDecision,
  { holds = nothingHeld, error }: { holds?: Holding; error?: Error } = {},
) {
  const own = new RecordingActuator(['Suspend'], holds, error);
  const other = new RecordingActuator(['CommitStatus']);
  const failed: string[] = [];
  const metrics = { actuationFailed: (mode: string) => void failed.push(mode) };
  const context: ActContext<GateBinding> = {
    object,
    signal: new AbortController().signal,
    log: recordLog(),
    now,
    record: () => Promise.reject(new Error('recorded')),
    write: () => Promise.reject(new Error('written')),
  };
  const actors = { actuators: [own, other], metrics };
  const outcome = await actOnBinding(actors, observed({ binding: object }), decision, context).catch(
    (thrown: unknown) => thrown,
  );
  return { outcome, own: own.calls, other: other.calls, failed };
}

it('calls the actuator of the mode, and releases the holds of other actuators', async () => {
  const { outcome, own, other } = await act(binding(guarded), { type: 'actuate', finalizer: 'keep' });
  expect(outcome).toEqual({ isReleased: false, report: report() });
  expect([own, other]).toEqual([['guard', 'act'], ['release']]);
});

it('allows no hold without the finalizer', async () => {
  const { own } = await act(binding(), { type: 'actuate', finalizer: 'keep' });
  expect(own).toEqual(['unguard', 'act']);
});

it('removes the finalizer, and allows no hold from then on', async () => {
  const { outcome, own } = await act(binding(guarded), { type: 'actuate', finalizer: 'remove' });
  expect(outcome).toMatchObject({ isReleased: true });
  expect(own).toEqual(['unguard', 'act']);
});

it('keeps the finalizer if a hold has begun since the observation', async () => {
  const decision: BindingDecision = { type: 'actuate', finalizer: 'remove' };
  const { outcome, own } = await act(binding(guarded), decision, { holds: holding });
  expect(outcome).toMatchObject({ isReleased: false });
  expect(own).toEqual(['guard', 'act']);
});

it('does not act while a gate is about to change', async () => {
  const { outcome, own } = await act(binding(guarded), { type: 'wait', finalizer: 'keep' });
  expect(outcome).toEqual({ isReleased: false });
  expect(own).toEqual(['guard']);
});

it('releases everything when the binding is being deleted', async () => {
  const { outcome, own, other } = await act(binding(guarded), { type: 'release', finalizer: 'keep' });
  expect(outcome).toEqual({ isReleased: true });
  expect([own, other]).toEqual([['release'], ['release']]);
});

it('counts a failure of the actuator', async () => {
  const error = new Error('no');
  const decision: BindingDecision = { type: 'actuate', finalizer: 'keep' };
  const { outcome, failed } = await act(binding(guarded), decision, { error });
  expect(outcome).toBe(error);
  expect(failed).toEqual(['Suspend']);
});
