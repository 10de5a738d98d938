import * as z from 'zod';
import { securityGroup } from '../names.js';
import { ageColumn, fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, objectName, timestamp } from '../schema/common.js';
import { defineKind } from '../schema/define.js';

const text = (max: number, description: string) => z.string().max(max).describe(description);

/** Fields that are not declared here are preserved, because the kind belongs to the detectors. */
const open = <T extends z.ZodObject>(schema: T) =>
  schema.meta({ ...schema.meta(), 'x-kubernetes-preserve-unknown-fields': true });

export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;

const subject = open(
  z.looseObject({
    apiVersion: text(256, 'API version of the object.').optional(),
    kind: text(128, 'Kind of the object.').optional(),
    name: text(2_000_000, 'Name of the object as it was detected, which can be any text.').optional(),
    namespace: text(256, 'Namespace of the object.').optional(),
    uid: text(128, 'UID of the object.').optional(),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels of the object at the time of the detection.'),
  }),
).describe('The object that the event is about.');

export const SecurityEvent = defineKind({
  group: securityGroup,
  version: 'v1alpha1',
  kind: 'SecurityEvent',
  plural: 'securityevents',
  shortNames: ['se'],
  namespaced: false,
  description: 'A security detection. Detectors create it, and responders read it.',
  spec: open(
    z.looseObject({
      class: text(64, 'Detection, Anomaly, PolicyViolation, Forensic, Compliance or Audit.').optional(),
      type: text(128, 'Type of the event, such as ClusterAdminGranted.'),
      severity: z.enum(severities).optional(),
      clusterIdentity: open(
        z.looseObject({
          clusterName: text(256, 'Name of the cluster.').optional(),
          clusterID: text(256, 'ID of the cluster.').optional(),
        }),
      ).optional(),
      source: open(
        z.looseObject({
          kind: text(128, 'Kind of the detector.').optional(),
          name: text(256, 'Name of the detector.').optional(),
        }),
      ).optional(),
      subject: subject.optional(),
      detectedAt: timestamp('When the event was detected.').optional(),
      signals: z.array(z.string().max(1024)).max(128).optional().describe('The detector.'),
      correlationID: text(256, 'ID that is shared by all related events.').optional(),
      traceparent: text(128, 'W3C trace context of the detection.').optional(),
    }),
  ),
  status: open(
    z.looseObject({ ...commonStatus, phase: text(64, 'Active, Attested or Archived.').optional() }),
  ),
  printColumns: [
    ...fieldColumns('spec', 'Class', 'Type', 'Severity'),
    textColumn('Subject', '.spec.subject.name'),
    ageColumn,
  ],
});

/** The reference from a response to its event. */
export const securityEventRef = z.object({
  name: objectName('Name of the SecurityEvent.').optional(),
  uid: text(128, 'UID of the SecurityEvent.').optional(),
});

export type SecurityEvent = NonNullable<(typeof SecurityEvent)['_object']>;
