import { GateOverride, type Gate } from '@interlock/api';
import { formatDuration, parseDuration } from '@interlock/service';
import { appliesTo, judgeOverrides } from '@interlock/gating';
import { delay, systemClock } from '@interlock/kube';
import { Failure, usage } from '../exit.js';
import { loadGate, loadOverrides } from './load.js';
import { createOverride, lifetimeOf, lifetimeText, parseTarget, type OverrideSpec } from './override.js';
import type { Session } from '../session.js';

export interface OpenOptions {
  for?: string;
  until?: string;
  once?: boolean;
  revision?: string[];
  target?: string[];
  ticket?: string;
  endHold?: boolean;
  wait?: boolean;
}

const pollMs = 500;

/** `open NAME "reason"`: makes an override that opens the gate for a while. */
export async function open(
  session: Session,
  name: string,
  reason: string,
  options: OpenOptions,
): Promise<GateOverride> {
  const { progress, namespace, io } = session;
  if (reason.trim() === '')
    throw usage('the reason is empty; say why the gate is opened, for the audit trail');
  const targets = options.target?.map(parseTarget);
  const asked = lifetimeOf(options, io.now());
  const gate = await loadGate(session, name);
  const lifetime = asked ?? { duration: gate.spec.maxOverride };
  checkLength(gate, lifetime, io.now());
  progress.action(`opening Gate ${name} in ${namespace} namespace`);
  await endHolds(session, gate, options);
  const override = await createOverride(session, {
    gateRef: { name },
    effect: 'Open',
    reason,
    ...lifetime,
    ...(options.once === true && { once: true }),
    ...(options.revision !== undefined && { revisions: options.revision }),
    ...(targets !== undefined && { targets }),
    ...(options.ticket !== undefined && { ticket: options.ticket }),
  });
  progress.generated(`GateOverride ${override.metadata.name} created`);
  if (options.wait === true) await inForce(session, override);
  const scope =
    targets === undefined
      ? ''
      : ` for ${targets.map((one) => `${one.kind}/${one.name}`.toLowerCase()).join(', ')}`;
  const once = options.once === true ? ', once' : '';
  progress.success(`Gate ${name} opened${scope}${lifetimeText(override.spec)}${once}: ${reason}`);
  return override;
}

function checkLength(gate: Gate, lifetime: Pick<OverrideSpec, 'duration' | 'expiresAt'>, now: number): void {
  const asked =
    lifetime.expiresAt === undefined
      ? parseDuration(lifetime.duration ?? '0s')
      : Date.parse(lifetime.expiresAt) - now;
  if (asked > parseDuration(gate.spec.maxOverride))
    throw new Failure(
      `${formatDuration(asked)} is longer than Gate ${gate.metadata.name} allows, ${gate.spec.maxOverride} (spec.maxOverride); ask for less`,
    );
}

/** A Close in force would beat the override that is to be made. */
async function endHolds(session: Session, gate: Gate, options: OpenOptions): Promise<void> {
  const { client, namespace, progress, io, signal } = session;
  const states = judgeOverrides(io.now(), gate, await loadOverrides(session, gate.metadata.name));
  const targets = options.target?.map(parseTarget) ?? [undefined];
  const closing = states.filter(
    ({ override, phase }) =>
      phase === 'Active' &&
      override.spec.effect === 'Close' &&
      targets.some((target) => appliesTo(override, target)),
  );
  for (const { override, actor, expiresAt } of closing) {
    const until =
      expiresAt === undefined ? 'until it is ended' : `until ${new Date(expiresAt).toISOString()}`;
    const who = `GateOverride ${override.metadata.name} of ${actor} closes the gate ${until}: ${override.spec.reason}`;
    if (options.endHold !== true) throw new Failure(`${who}; add --end-hold to end it`);
    await client.delete(GateOverride, { namespace, name: override.metadata.name }, { signal });
    progress.warning(`ended: ${who}`);
  }
}

/** Waits until the controller has taken the override. */
async function inForce(
  { client, namespace, progress, signal }: Session,
  { metadata }: GateOverride,
): Promise<void> {
  progress.waiting(`waiting for GateOverride ${metadata.name} to be in force`);
  for (;;) {
    const { status } = await client.get(GateOverride, { namespace, name: metadata.name }, { signal });
    if (status?.phase === 'Active') return;
    if (status?.phase !== undefined && status.phase !== 'Pending')
      throw new Failure(`GateOverride ${metadata.name} is ${status.phase}: ${status.message ?? ''}`);
    await delay(systemClock, pollMs, signal);
    signal.throwIfAborted();
  }
}
