import { Gate, GateBinding, GateKeeper, GateOverride } from '@interlock/api';
import { believedState } from '@interlock/gating';
import { defineView } from '../listing/view.js';
import { notReconciled, readyText, shortRevision } from '../output/text.js';

const gates = defineView<Gate>({
  kind: Gate,
  headers: ['NAME', 'STATE', 'CAUSE', 'UNTIL', 'READY', 'MESSAGE'],
  rows: (gate, now) => {
    const { state, message } = believedState(gate, now);
    const { cause, next } = gate.status ?? {};
    return [[gate.metadata.name, state, cause ?? '', next?.at ?? '', readyText(gate), message]];
  },
});

const keepers = defineView<GateKeeper>({
  kind: GateKeeper,
  headers: ['NAME', 'GATE', 'TYPE', 'EFFECT', 'UNTIL', 'READY', 'MESSAGE'],
  rows: (keeper) => {
    const { metadata, spec, status } = keeper;
    const shown = [
      status?.effect ?? '',
      status?.next ?? '',
      readyText(keeper),
      status?.message ?? notReconciled,
    ];
    return [[metadata.name, spec.gate, spec.type, ...shown]];
  },
});

const overrides = defineView<GateOverride>({
  kind: GateOverride,
  headers: ['NAME', 'GATE', 'EFFECT', 'PHASE', 'ACTOR', 'UNTIL', 'REASON'],
  rows: ({ metadata, spec, status }) => [
    [
      metadata.name,
      spec.gateRef.name,
      spec.effect,
      status?.phase ?? 'Pending',
      status?.actor ?? '',
      status?.expiresAt ?? spec.expiresAt ?? spec.duration ?? '',
      spec.reason,
    ],
  ],
});

const bindings = defineView<GateBinding>({
  kind: GateBinding,
  headers: ['NAME', 'MODE', 'STATE', 'TARGETS', 'HELD', 'UNTIL', 'READY', 'MESSAGE'],
  rows: (binding) => {
    const { metadata, spec, status } = binding;
    return [
      [
        metadata.name,
        spec.mode,
        status?.state ?? '',
        String(status?.targetCount ?? ''),
        String(status?.heldCount ?? ''),
        status?.next?.at ?? '',
        readyText(binding),
        status?.message ?? notReconciled,
      ],
    ];
  },
});

const holds = defineView<GateBinding>({
  kind: GateBinding,
  what: 'held objects',
  headers: ['NAME', 'BINDING', 'GATES', 'HELD', 'PENDING', 'SINCE'],
  rows: ({ metadata, spec, status }) =>
    (status?.holds ?? []).map((hold) => [
      `${hold.kind}/${hold.name}`.toLowerCase(),
      metadata.name,
      spec.refs.map(({ name }) => name).join(),
      shortRevision(hold.revision),
      shortRevision(hold.pending),
      hold.since,
    ]),
  data: ({ metadata, spec, status }) =>
    (status?.holds ?? []).map((hold) => ({
      ...hold,
      namespace: metadata.namespace,
      binding: metadata.name,
      mode: spec.mode,
      gates: spec.refs,
    })),
});

/** The views that `get` lists. */
export const views = { gates, keepers, overrides, bindings, holds };
export type ViewName = keyof typeof views;
export const viewNames = Object.keys(views) as ViewName[];

/** Returns the name of the view for a spelling such as `gate`, `gates` or `gatekeepers`; undefined if there is none. */
export function viewNamed(text: string): ViewName | undefined {
  const plain = text.toLowerCase().replace(/^gate(?=keepers?$|overrides?$|bindings?$)/, '');
  return viewNames.find((name) => name === plain || name === `${plain}s`);
}
