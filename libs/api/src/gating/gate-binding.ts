import * as z from 'zod';
import { labelSelector } from '../commit-status/sources.js';
import { gatingGroup } from '../names.js';
import { fieldColumns } from '../schema/columns.js';
import { commitStatusKey, commonStatus, objectName, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { gateReference, gateState, nextChange, nextColumns, targetKinds } from './fields.js';

const target = withRules(
  z.object({
    kind: z
      .enum(targetKinds)
      .describe('Kind of the object: a Flux kind, or PromotionStrategy with mode CommitStatus.'),
    name: objectName('Name of the object, in the same namespace.').optional(),
    selector: labelSelector.optional().describe('Selects objects in the same namespace by label.'),
  }),
  [
    {
      rule: '!(has(self.name) && has(self.selector))',
      message: 'at most one of name and selector may be set; set neither to select all objects of the kind',
    },
  ],
);

export const GateBinding = defineKind({
  group: gatingGroup,
  version: 'v1alpha1',
  kind: 'GateBinding',
  plural: 'gatebindings',
  description: 'Holds objects while gates are closed.',
  spec: withRules(
    z.object({
      targets: z.array(target).max(32).optional().describe('The objects that are held.'),
      require: z
        .enum(['all', 'any', 'oneOf'])
        .optional()
        .describe(
          'How many of the gates must be open: all (the default), or at least one (any or oneOf, which are equivalent).',
        ),
      expr: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .describe(
          "CEL expression that is used instead of require, such as gates['freeze'] || (gates['signoff'] && gates['tests']).",
        ),
      refs: z.array(gateReference).min(1).max(16).describe('References to the Gates.'),
      mode: z
        .enum(['Observe', 'Suspend', 'Pin', 'CommitStatus'])
        .default('Suspend')
        .describe(
          'How objects are held. Observe: only reports what would be held. Suspend: sets spec.suspend. Pin: pins the commit or digest in spec.ref. CommitStatus: holds promotions by a CommitStatus of their commit.',
        ),
      scope: z
        .enum(['Updates', 'All'])
        .default('Updates')
        .describe(
          'What a hold covers. Updates: holds sources, while drift is still corrected. All: also holds the Kustomizations and HelmReleases that apply from these sources.',
        ),
      commitStatus: z
        .object({ key: commitStatusKey })
        .optional()
        .describe('The CommitStatus that mode CommitStatus writes.'),
    }),
    [
      {
        rule: '!(has(self.expr) && has(self.require))',
        message: 'at most one of require and expr may be set',
      },
      {
        rule: "(self.mode == 'CommitStatus') == has(self.commitStatus)",
        message: 'the field commitStatus must be set with mode CommitStatus, and with no other mode',
      },
      {
        rule: "self.mode == 'CommitStatus' || (has(self.targets) && self.targets.size() > 0)",
        message: 'targets must list at least one object',
      },
      {
        rule: "!has(self.targets) || self.targets.all(t, (t.kind == 'PromotionStrategy') == (self.mode == 'CommitStatus'))",
        message:
          'mode CommitStatus requires targets of kind PromotionStrategy, and other modes do not support them',
      },
      {
        rule: "!has(self.targets) || self.scope == 'All' || self.targets.all(t, !(t.kind in ['Kustomization', 'HelmRelease']))",
        message:
          'holding a Kustomization or a HelmRelease also stops the correction of drift; set scope to All, or hold its source instead',
      },
      {
        rule: "!has(self.targets) || self.mode != 'Pin' || self.targets.all(t, t.kind in ['GitRepository', 'OCIRepository'])",
        message: 'mode Pin supports targets of kind GitRepository and OCIRepository only',
      },
      {
        rule: "self.scope == 'Updates' || self.mode in ['Suspend', 'Observe']",
        message:
          'scope All requires mode Suspend or Observe, because objects that apply from a pinned source keep correcting drift',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    state: gateState.optional().describe('Whether the targets are allowed to proceed.'),
    message: z.string().max(2048).optional().describe('Human-readable explanation of the state.'),
    next: nextChange.optional(),
    gates: z
      .array(
        z.object({
          name: objectName('Name of the Gate.'),
          namespace: objectName('Namespace of the Gate.'),
          state: z.enum(['Open', 'Closed', 'Unknown']),
          message: z.string().max(1024),
        }),
      )
      .max(16)
      .optional(),
    holds: z
      .array(
        z.object({
          kind: z.enum(targetKinds),
          name: objectName('Name of the object.'),
          namespace: objectName(
            'Namespace of the object, if it differs from the namespace of the binding.',
          ).optional(),
          environment: z
            .string()
            .max(200)
            .optional()
            .describe('The environment branch, if the object is a PromotionStrategy.'),
          since: timestamp('Since when the object is held.'),
          revision: z.string().max(512).optional().describe('The revision at which the object is held.'),
          pending: z.string().max(512).optional().describe('The revision that is waiting, if it is known.'),
          confirmed: z.boolean().describe('Whether the controller of the object has observed the hold.'),
          message: z
            .string()
            .max(1024)
            .optional()
            .describe('Human-readable description of a problem with the hold.'),
        }),
      )
      .max(256)
      .optional()
      .describe('The objects that are held or, in mode Observe, would be held.'),
    targetCount: z.int().optional().describe('Number of objects that are bound.'),
    heldCount: z.int().optional().describe('Number of objects that are held.'),
  }),
  printColumns: [
    ...fieldColumns('spec', 'Mode'),
    ...fieldColumns('status', 'State'),
    { name: 'Targets', type: 'integer', jsonPath: '.status.targetCount' },
    { name: 'Held', type: 'integer', jsonPath: '.status.heldCount' },
    ...nextColumns('.status.next.at'),
  ],
});

export type GateBinding = NonNullable<(typeof GateBinding)['_object']>;
export type GateBindingStatus = NonNullable<GateBinding['status']>;
export type GateHold = NonNullable<GateBindingStatus['holds']>[number];
