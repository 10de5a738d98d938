import { z } from 'zod';
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
      .describe('A kind of Flux, or PromotionStrategy, which goes with mode CommitStatus.'),
    name: objectName('Name of the object, in the same namespace.').optional(),
    selector: labelSelector.optional().describe('Labels of the objects, in the same namespace.'),
  }),
  [
    {
      rule: '!(has(self.name) && has(self.selector))',
      message: 'at most one of name and selector may be set; without them all objects of the kind are meant',
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
      targets: z.array(target).max(32).optional().describe('What is held.'),
      require: z
        .enum(['all', 'any', 'oneOf'])
        .optional()
        .describe(
          'How many of the gates have to be open: all, the default, or at least one (any; oneOf means the same).',
        ),
      expr: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .describe(
          "CEL expression instead of require, such as gates['freeze'] || (gates['signoff'] && gates['tests']).",
        ),
      refs: z.array(gateReference).min(1).max(16).describe('The gates.'),
      mode: z
        .enum(['Observe', 'Suspend', 'Pin', 'CommitStatus'])
        .default('Suspend')
        .describe(
          'Observe: only report what would be held. Suspend: by spec.suspend. Pin: by the commit or digest in spec.ref. CommitStatus: promotions, by a CommitStatus of their commit.',
        ),
      scope: z
        .enum(['Updates', 'All'])
        .default('Updates')
        .describe(
          'Updates: hold sources, and keep correcting drift. All: Kustomizations and HelmReleases that apply from them stand still as well.',
        ),
      commitStatus: z
        .object({ key: commitStatusKey })
        .optional()
        .describe('The CommitStatus of mode CommitStatus.'),
    }),
    [
      {
        rule: '!(has(self.expr) && has(self.require))',
        message: 'at most one of require and expr may be set',
      },
      {
        rule: "(self.mode == 'CommitStatus') == has(self.commitStatus)",
        message: 'mode CommitStatus and the field commitStatus belong together',
      },
      {
        rule: "self.mode == 'CommitStatus' || (has(self.targets) && self.targets.size() > 0)",
        message: 'targets must name at least one object',
      },
      {
        rule: "!has(self.targets) || self.targets.all(t, (t.kind == 'PromotionStrategy') == (self.mode == 'CommitStatus'))",
        message: 'targets of kind PromotionStrategy go with mode CommitStatus, and no others do',
      },
      {
        rule: "!has(self.targets) || self.scope == 'All' || self.targets.all(t, !(t.kind in ['Kustomization', 'HelmRelease']))",
        message:
          'to hold a Kustomization or a HelmRelease stops the correction of drift too: set scope to All, or hold its source',
      },
      {
        rule: "!has(self.targets) || self.mode != 'Pin' || self.targets.all(t, t.kind in ['GitRepository', 'OCIRepository'])",
        message: 'mode Pin holds a GitRepository or an OCIRepository only',
      },
      {
        rule: "self.scope == 'Updates' || self.mode in ['Suspend', 'Observe']",
        message:
          'scope All goes with mode Suspend or Observe: what applies from a pinned source keeps correcting drift',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    state: gateState.optional().describe('Whether the targets may go on.'),
    message: z.string().max(2048).optional().describe('Why, for people.'),
    next: nextChange.optional(),
    gates: z
      .array(
        z.object({
          name: objectName('Name of the Gate.'),
          namespace: objectName('Its namespace.'),
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
          namespace: objectName('Its namespace, where it is another than that of the binding.').optional(),
          environment: z
            .string()
            .max(200)
            .optional()
            .describe('Of a PromotionStrategy: the environment branch.'),
          since: timestamp('Since when it is held.'),
          revision: z.string().max(512).optional().describe('The revision that it is held at.'),
          pending: z.string().max(512).optional().describe('The revision that waits, where it is known.'),
          confirmed: z.boolean().describe('Whether the controller of the object has seen the hold.'),
          message: z.string().max(1024).optional().describe('What is wrong with the hold.'),
        }),
      )
      .max(256)
      .optional()
      .describe('What is held, or would be by mode Observe.'),
    targetCount: z.int().optional().describe('How many objects are bound.'),
    heldCount: z.int().optional().describe('How many of them are held.'),
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
