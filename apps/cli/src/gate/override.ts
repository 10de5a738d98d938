import { fluxKinds, GateOverride, timestampOf, type GateTargetKind } from '@interlock/api';
import { durationFlag } from '../duration.js';
import { usage } from '../exit.js';
import type { Session } from '../session.js';
import { timeFlag } from '../time.js';

export type OverrideSpec = GateOverride['spec'];

const targetKinds: readonly GateTargetKind[] = [...fluxKinds, 'PromotionStrategy'];
const aliases: Readonly<Record<string, GateTargetKind>> = {
  ks: 'Kustomization',
  hr: 'HelmRelease',
  ps: 'PromotionStrategy',
};

/** Parses `kind/name`. The kind is accepted in any case, as its plural or as Flux's short name. */
export function parseTarget(text: string): { kind: GateTargetKind; name: string } {
  const [kindText = '', name = '', ...rest] = text.split('/');
  const wanted = kindText.toLowerCase();
  const kind =
    aliases[wanted] ?? targetKinds.find((one) => [one.toLowerCase(), pluralOf(one)].includes(wanted));
  if (kind === undefined || name === '' || rest.length > 0)
    throw usage(
      `${JSON.stringify(text)} is not KIND/NAME; write one such as gitrepository/app (kinds: ${targetKinds.join(', ').toLowerCase()})`,
    );
  return { kind, name };
}

/** Returns the plural of a kind in lower case. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

/** Returns the lifetime from `--for` or `--until`; undefined if neither is given. */
export function lifetimeOf(
  options: { for?: string; until?: string },
  now: number,
): Pick<OverrideSpec, 'duration' | 'expiresAt'> | undefined {
  if (options.for !== undefined && options.until !== undefined)
    throw usage('use only one of --for and --until');
  if (options.for !== undefined) {
    if (durationFlag('--for', options.for) <= 0)
      throw usage(`--for ${options.for} is not a positive duration; write for example 30m`);
    return { duration: options.for };
  }
  if (options.until === undefined) return undefined;
  const until = timeFlag(`--until ${options.until}`, options.until, '2026-12-01T08:00:00Z');
  if (until <= now) throw usage(`--until ${options.until} is in the past; write a later time`);
  return { expiresAt: timestampOf(until) };
}

/** Creates the override. Admission records the author. */
export function createOverride(
  { client, namespace, signal }: Session,
  spec: Omit<OverrideSpec, 'once'> & { once?: boolean },
): Promise<GateOverride> {
  /* The end of a long name may begin with a separator, with which no name may begin. */
  const generateName = `${spec.gateRef.name}-${spec.effect.toLowerCase()}-`.slice(-57).replace(/^[-.]+/, '');
  return client.create(GateOverride, { metadata: { generateName, namespace }, spec }, { signal });
}

/** Returns `until TIME` or `for DURATION`, as it was requested. */
export function lifetimeText({ duration, expiresAt }: Pick<OverrideSpec, 'duration' | 'expiresAt'>): string {
  if (expiresAt !== undefined) return ` until ${expiresAt}`;
  return duration === undefined ? '' : ` for ${duration}`;
}
