import type { GateOverride } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { believedState, judgeOverrides, type OverrideState } from '@interlock/gating';
import { usage } from '../exit.js';
import { loadGate, loadOverrides } from './load.js';
import { createOverride, lifetimeOf, lifetimeText, parseTarget, type OverrideSpec } from './override.js';
import type { Session } from '../session.js';

export interface CloseOptions {
  for?: string;
  until?: string;
  hold?: boolean;
  target?: string[];
  ticket?: string;
}

/**
 * Runs `close NAME ["reason"]`: ends the overrides that open the gate; with `--for`, `--until` or `--hold` also keeps
 * it closed. Returns the new override; undefined if none was necessary.
 */
export async function close(
  session: Session,
  name: string,
  reason: string | undefined,
  options: CloseOptions,
): Promise<GateOverride | undefined> {
  const { progress, namespace, io } = session;
  const targets = options.target?.map(parseTarget);
  const lifetime = lifetimeOf(options, io.now());
  if (lifetime !== undefined && options.hold === true)
    throw usage('use only one of --hold, --for and --until');
  const isStop = lifetime !== undefined || options.hold === true;
  if (isStop && (reason ?? '').trim() === '')
    throw usage(`the reason is missing; write interlock gate close ${name} "why" …`);
  const gate = await loadGate(session, name);
  const live = judgeOverrides(io.now(), gate, await loadOverrides(session, name)).filter(
    ({ override, phase }) =>
      override.spec.effect === 'Open' && phase === 'Active' && overlaps(override.spec.targets, targets),
  );
  if (!isStop && live.length === 0) {
    const { state } = believedState(gate, io.now());
    if (state === 'Open')
      throw usage(
        `Gate ${name} is not opened by an override that can be ended; use --for, --until or --hold to set how long the gate stays closed`,
      );
    progress.success(`Gate ${name} is already closed`);
    return undefined;
  }
  progress.action(`closing Gate ${name} in ${namespace} namespace`);
  const override = await createOverride(session, {
    ...specOf(name, reason, live),
    ...(isStop ? lifetime : { duration: '0s' }),
    ...(targets !== undefined && { targets }),
    ...(options.ticket !== undefined && { ticket: options.ticket }),
  });
  progress.generated(`GateOverride ${override.metadata.name} created`);
  for (const { override: ended, actor } of live)
    progress.action(`ending GateOverride ${ended.metadata.name} of ${actor}: ${ended.spec.reason}`);
  const until =
    options.hold === true ? ' until the hold is ended' : lifetimeText(isStop ? override.spec : {});
  progress.success(isStop ? `Gate ${name} closed${until}: ${override.spec.reason}` : `Gate ${name} closed`);
  return override;
}

/** Returns whether two lists of targets have a target in common; an absent list means all targets. */
function overlaps(a: OverrideSpec['targets'], b: OverrideSpec['targets']): boolean {
  if (a === undefined || b === undefined) return true;
  return a.some(({ kind, name }) => b.some((other) => other.kind === kind && other.name === name));
}

function specOf(
  name: string,
  reason: string | undefined,
  live: readonly OverrideState[],
): Pick<OverrideSpec, 'gateRef' | 'effect' | 'reason'> {
  const ended = live.map(({ override }) => `${override.metadata.name} (${override.spec.reason})`).join(', ');
  const text = reason?.trim() || `ends ${ended}`;
  return { gateRef: { name }, effect: 'Close', reason: prefixOf(text, 1024) };
}
