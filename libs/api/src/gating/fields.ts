import * as z from 'zod';
import { fluxResources, type FluxKind } from '../flux.js';
import { messageColumn, textColumn } from '../schema/columns.js';
import { objectName, readyColumns, timestamp } from '../schema/common.js';

export const gateState = z.enum(['Open', 'Closed']);

/** What decides: `Default`, `Invalid`, `FailurePolicy`, `GateKeeper/<name>` or `GateOverride/<name>`. */
export const gateCause = z
  .string()
  .max(300)
  .describe(
    'What decides the state: Default, Invalid, ClockSkew, FailurePolicy, GateKeeper/<name> or GateOverride/<name>.',
  );

export const nextChange = z
  .object({
    at: timestamp('When the state will change.'),
    state: gateState.describe('The state after the change.'),
    cause: gateCause,
  })
  .describe('The next known change of the state. Unset if there is none within ten years.');

/**
 * Returns the last columns of a kind that has a state: until when the state lasts, the reason for it, and whether the
 * object is reconciled.
 */
export const nextColumns = (until: string) => [textColumn('Until', until), messageColumn, ...readyColumns];

export const fluxKinds = Object.keys(fluxResources) as [FluxKind, ...FluxKind[]];

export const targetKinds = [...fluxKinds, 'PromotionStrategy'] as const;

export const gateReference = z.object({
  name: objectName('Name of the Gate.'),
  namespace: objectName(
    'Namespace of the Gate, which must list this namespace in its allowedNamespaces. Defaults to this namespace.',
  ).optional(),
});

export type GateState = z.output<typeof gateState>;
export type NextChange = z.output<typeof nextChange>;
export type GateTargetKind = (typeof targetKinds)[number];
export type GateReference = z.output<typeof gateReference>;
