import { fullRevision, GateOverride, isTyped, messageOf, type Gate } from '@interlock/api';
import { delay, systemClock } from '@interlock/base';
import { formatDuration, parseDuration } from '@interlock/service';
import { appliesTo, judgeOverrides, type OverrideState } from '@interlock/gating';
import { Failure, usage } from '../exit.js';
import { loadGate, loadOverrides } from './load.js';
import { createOverride, lifetimeOf, lifetimeText, parseTarget, type OverrideSpec } from './override.js';
import { polled, released, warnOfOpening } from './release.js';
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

/** Runs `open NAME "reason"`: creates an override that opens the gate for a limited time. */
export async function open(
  session: Session,
  name: string,
  reason: string,
  options: OpenOptions,
): Promise<GateOverride> {
  const { progress, namespace, io } = session;
  if (reason.trim() === '')
    throw usage('the reason is empty; state why the gate is opened, for the audit trail');
  const targets = options.target?.map(parseTarget);
  options.revision?.forEach(checkRevision);
  const asked = lifetimeOf(options, io.now());
  const gate = await loadGate(session, name);
  const lifetime = asked ?? { duration: gate.spec.maxOverride };
  checkLength(gate, lifetime, io.now());
  progress.action(`opening Gate ${name} in ${namespace} namespace`);
  const holds = await holdsOf(session, gate, options);
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
  /* The hold is ended last, so that it stays in place if the override is refused. */
  await endHolds(session, override, holds);
  await warnOfOpening(session, override);
  if (options.wait === true) {
    await inForce(session, override);
    await released(session, override);
  }
  const scope =
    targets === undefined
      ? ''
      : ` for ${targets.map((one) => `${one.kind}/${one.name}`.toLowerCase()).join(', ')}`;
  const once = options.once === true ? ', once' : '';
  progress.success(`Gate ${name} opened${scope}${lifetimeText(override.spec)}${once}: ${reason}`);
  return override;
}

/** Refuses abbreviated commits, because they match nothing. */
function checkRevision(text: string): void {
  if (!fullRevision.test(text))
    throw usage(
      `--revision ${text} is not a full commit SHA or digest; write all 40 or 64 digits, alone or as in main@sha1:<commit>`,
    );
}

function checkLength(gate: Gate, lifetime: Pick<OverrideSpec, 'duration' | 'expiresAt'>, now: number): void {
  const asked =
    lifetime.expiresAt === undefined
      ? parseDuration(lifetime.duration ?? '0s')
      : Date.parse(lifetime.expiresAt) - now;
  if (asked > parseDuration(gate.spec.maxOverride))
    throw new Failure(
      `${formatDuration(asked)} is longer than the ${gate.spec.maxOverride} that Gate ${gate.metadata.name} allows (spec.maxOverride); request less time`,
    );
}

/**
 * Returns the overrides that keep the gate closed and take precedence over one that opens it.
 *
 * @throws Failure if there are any, unless the user ends them with `--end-hold`
 */
async function holdsOf(session: Session, gate: Gate, options: OpenOptions): Promise<OverrideState[]> {
  const states = judgeOverrides(session.io.now(), gate, await loadOverrides(session, gate.metadata.name));
  const targets = options.target?.map(parseTarget) ?? [undefined];
  const closing = states.filter(
    ({ override, phase }) =>
      phase === 'Active' &&
      override.spec.effect === 'Close' &&
      targets.some((target) => appliesTo(override, target)),
  );
  const [first] = closing;
  if (first !== undefined && options.endHold !== true)
    throw new Failure(`${holdText(first)}; add --end-hold to end it`);
  return closing;
}

function holdText({ override, actor, expiresAt }: OverrideState): string {
  const until = expiresAt === undefined ? 'until it is ended' : `until ${new Date(expiresAt).toISOString()}`;
  return `GateOverride ${override.metadata.name} of ${actor} closes the gate ${until}: ${override.spec.reason}`;
}

async function endHolds(
  { client, namespace, progress, signal }: Session,
  opened: GateOverride,
  holds: readonly OverrideState[],
): Promise<void> {
  for (const hold of holds) {
    const { name } = hold.override.metadata;
    try {
      await client.delete(GateOverride, { namespace, name }, { signal });
    } catch (error) {
      if (isTyped(error, 'NotFound')) continue;
      throw new Failure(
        `GateOverride ${opened.metadata.name} was created but has no effect, because GateOverride ${name} cannot be ended: ${messageOf(error)}`,
      );
    }
    progress.warning(`ended: ${holdText(hold)}`);
  }
}

/** Waits until the controller has accepted the override. */
async function inForce(session: Session, { metadata: { name } }: GateOverride): Promise<void> {
  const { client, namespace, progress, signal } = session;
  progress.waiting(`waiting for GateOverride ${name} to take effect`);
  while (!signal.aborted) {
    const read = await polled(session, client.get(GateOverride, { namespace, name }, { signal }));
    const { phase, message = '' } = read?.status ?? {};
    if (phase === 'Active') return;
    if (phase !== undefined && phase !== 'Pending')
      throw new Failure(`GateOverride ${name} is ${phase}: ${message}`);
    await delay(systemClock, pollMs, signal);
  }
  /* Not the code of a command that can be repeated: the override exists. */
  throw new Failure(
    `GateOverride ${name} was created and has not taken effect yet; check that the gate-controller is running`,
  );
}
